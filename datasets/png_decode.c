/* PNG by libpng's simplified interface, from memory: any colour type and depth becomes RGB of 8 bits; what is
 * transparent is shown on black. */
#include <png.h>

#include <errno.h>

#include "image.h"

int data__png_decode(const unsigned char *p, size_t bytes, const char *name, struct data__buffer *out,
                     int64_t size[2], bool header_only, struct err *err)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, p, bytes)) {
        int rc = err_set(err, -EBADMSG, "%s: %s", name, image.message);
        png_image_free(&image);
        return rc;
    }
    size[0] = image.height;
    size[1] = image.width;
    int rc = data__image_check_size(name, image.height, image.width, err);
    if (rc || header_only) {
        png_image_free(&image);
        return rc;
    }
    image.format = PNG_FORMAT_RGB;
    rc = data__buffer_reserve(out, PNG_IMAGE_SIZE(image), err);
    png_color black = {0, 0, 0};
    if (!rc && (!png_image_finish_read(&image, &black, out->data, 0, NULL) || image.warning_or_error >= 2))
        rc = err_set(err, -EBADMSG, "%s: %s", name, image.message);
    png_image_free(&image);
    return rc;
}
