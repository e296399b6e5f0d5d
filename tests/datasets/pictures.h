/* Small pictures made by the libraries' encoders. */
#ifndef TESTS_DATASETS_PICTURES_H
#define TESTS_DATASETS_PICTURES_H

#include <stdio.h>

#include <jpeglib.h>
#include <png.h>

#include "helpers.h"

enum { PICTURE_MAX = 1 << 16 };

/* The picture: red grows to the right, green downwards, blue is 64. */
static inline void picture_pixel(int y, int x, int h, int w, unsigned char rgb[3])
{
    rgb[0] = (unsigned char)(w > 1 ? 255 * x / (w - 1) : 0);
    rgb[1] = (unsigned char)(h > 1 ? 255 * y / (h - 1) : 0);
    rgb[2] = 64;
}

/* An EXIF segment with an orientation, big-endian. */
static inline void add_orientation(struct jpeg_compress_struct *c, int orientation)
{
    unsigned char exif[] = {'E', 'x', 'i', 'f',  0,    0, 'M', 'M', 0, 42, 0, 0, 0,
                            8,   0,   1,   0x01, 0x12, 0, 3,   0,   0, 0,  1, 0, (unsigned char)orientation,
                            0,   0,   0,   0,    0,    0};
    jpeg_write_marker(c, JPEG_APP0 + 1, exif, sizeof exif);
}

/* Components: 1 grey (green's ramp), 3 RGB, 4 CMYK as Adobe writes it (255 is no ink, no black). Returns the bytes. */
static inline size_t make_jpeg(unsigned char *out, int h, int w, int components, int orientation)
{
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    unsigned char *memory = NULL;
    unsigned long bytes = 0;
    jpeg_mem_dest(&c, &memory, &bytes);
    c.image_height = (JDIMENSION)h;
    c.image_width = (JDIMENSION)w;
    c.input_components = components;
    c.in_color_space = components == 1 ? JCS_GRAYSCALE : components == 3 ? JCS_RGB : JCS_CMYK;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, 98, TRUE);
    c.write_Adobe_marker = components == 4;
    jpeg_start_compress(&c, TRUE);
    if (orientation)
        add_orientation(&c, orientation);
    for (int y = 0; y < h; y++) {
        static unsigned char row[4 * 4096];
        for (int x = 0; x < w; x++) {
            unsigned char rgb[3];
            picture_pixel(y, x, h, w, rgb);
            unsigned char *p = row + x * components;
            if (components == 1)
                p[0] = rgb[1];
            else
                memcpy(p, rgb, 3);
            if (components == 4)
                p[3] = 255;
        }
        JSAMPROW rows[1] = {row};
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    assert_true(bytes <= PICTURE_MAX);
    memcpy(out, memory, bytes);
    free(memory);
    return bytes;
}

/* format: one of PNG_FORMAT_GRAY, _RGB, _RGBA (opaque). Returns the bytes. */
static inline size_t make_png(unsigned char *out, int h, int w, png_uint_32 format)
{
    static unsigned char pixels[256 * 256 * 4];
    int channels = (int)PNG_IMAGE_SAMPLE_CHANNELS(format);
    for (int i = 0; i < h * w; i++) {
        unsigned char rgb[4] = {0, 0, 0, 255};
        picture_pixel(i / w, i % w, h, w, rgb);
        memcpy(pixels + i * channels, channels == 1 ? rgb + 1 : rgb, (size_t)channels);
    }
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = (png_uint_32)w, .height = (png_uint_32)h, .format = format};
    png_alloc_size_t bytes = PICTURE_MAX;
    assert_true(png_image_write_to_memory(&image, out, &bytes, 0, pixels, 0, NULL));
    return bytes;
}

#endif
