/* The orientation tag in an EXIF segment: "Exif\0\0", a TIFF header, directory 0. Source: CIPA DC-008, 4.5 and 4.6. */
#include <string.h>

#include "image.h"

enum { PREFIX_BYTES = 6, TIFF_BYTES = 8, ENTRY_BYTES = 12, TAG_ORIENTATION = 0x0112, TYPE_SHORT = 3 };

static uint32_t u16(const unsigned char *p, bool big)
{
    return big ? (uint32_t)p[0] << 8 | p[1] : data__u16(p);
}

static uint32_t u32(const unsigned char *p, bool big)
{
    return big ? u16(p, big) << 16 | u16(p + 2, big) : data__u32(p);
}

int data__exif_orientation(const unsigned char *p, size_t bytes)
{
    if (bytes < PREFIX_BYTES + TIFF_BYTES || memcmp(p, "Exif\0\0", PREFIX_BYTES) != 0)
        return 1;
    p += PREFIX_BYTES;
    bytes -= PREFIX_BYTES;
    bool big = p[0] == 'M';
    size_t at = u32(p + 4, big);
    if (at > bytes || bytes - at < 2)
        return 1;
    uint32_t entries = u16(p + at, big);
    at += 2;
    for (; entries > 0 && bytes - at >= ENTRY_BYTES; entries--, at += ENTRY_BYTES) {
        const unsigned char *e = p + at;
        if (u16(e, big) != TAG_ORIENTATION || u16(e + 2, big) != TYPE_SHORT)
            continue;
        uint32_t value = u16(e + 8, big);
        return value >= 1 && value <= 8 ? (int)value : 1;
    }
    return 1;
}
