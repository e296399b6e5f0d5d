/* Which decoder, and turning what comes out upright. */
#include "image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct data__image_decoder {
    struct data__jpeg *jpeg;
    struct data__buffer pixels, upright;
};

const char *const data__image_endings[] = {"jpg", "jpeg", "png", NULL};

int data__image_decoder_create(struct data__image_decoder **out, struct err *err)
{
    struct data__image_decoder *d = *out = calloc(1, sizeof *d);
    if (d)
        d->jpeg = data__jpeg_create();
    if (d && d->jpeg)
        return 0;
    free(d);
    *out = NULL;
    return err_set(err, -ENOMEM, "no memory for an image decoder");
}

void data__image_decoder_destroy(struct data__image_decoder *d)
{
    if (!d)
        return;
    data__jpeg_destroy(d->jpeg);
    data__buffer_fini(&d->pixels);
    data__buffer_fini(&d->upright);
    free(d);
}

int data__image_check_size(const char *name, uint64_t height, uint64_t width, struct err *err)
{
    if (height == 0 || width == 0)
        return err_set(err, -EBADMSG, "%s: a picture of %llu x %llu has no pixels", name,
                       (unsigned long long)height, (unsigned long long)width);
    if (height > IMAGE_PIXELS_MAX / width)
        return err_set(err, -EFBIG, "%s: %llu x %llu pixels are over the limit of 2^27", name,
                       (unsigned long long)height, (unsigned long long)width);
    return 0;
}

static bool is_jpeg(const unsigned char *p, size_t bytes)
{
    return bytes >= 3 && p[0] == 0xFF && p[1] == 0xD8 && p[2] == 0xFF;
}

static bool is_png(const unsigned char *p, size_t bytes)
{
    return bytes >= 8 && !memcmp(p, "\x89PNG\r\n\x1a\n", 8);
}

static int no_image(const char *name, size_t bytes, struct err *err)
{
    return err_set(err, -EBADMSG, "%s: neither a JPEG nor a PNG by its first bytes (%zu in all)", name,
                   bytes);
}

static void swap(int64_t size[2])
{
    int64_t height = size[0];
    size[0] = size[1];
    size[1] = height;
}

int data__image_size(struct data__image_decoder *d, const unsigned char *p, size_t bytes, const char *name,
                     int64_t size[2], struct err *err)
{
    int orientation = 1;
    if (!is_jpeg(p, bytes))
        return is_png(p, bytes) ? data__png_decode(p, bytes, name, NULL, size, true, err)
                                : no_image(name, bytes, err);
    int rc = data__jpeg_size(d->jpeg, p, bytes, name, size, &orientation, err);
    if (!rc && orientation >= 5)
        swap(size);
    return rc;
}

/* Where pixel (y, x) of the upright picture of h x w lies in the stored one. Orientations 5 to 8 are stored w x h. */
static size_t stored_at(int orientation, int64_t h, int64_t w, int64_t y, int64_t x)
{
    switch (orientation) {
    case 2:
        return (size_t)(y * w + (w - 1 - x));
    case 3:
        return (size_t)((h - 1 - y) * w + (w - 1 - x));
    case 4:
        return (size_t)((h - 1 - y) * w + x);
    case 5:
        return (size_t)(x * h + y);
    case 6: /* stored turned left: turn right */
        return (size_t)((w - 1 - x) * h + y);
    case 7:
        return (size_t)((w - 1 - x) * h + (h - 1 - y));
    case 8:
        return (size_t)(x * h + (h - 1 - y));
    default:
        return (size_t)(y * w + x);
    }
}

/* size: stored in, upright out. */
static int turn(struct data__image_decoder *d, int orientation, int64_t size[2], struct err *err)
{
    int rc = data__buffer_reserve(&d->upright, (size_t)(size[0] * size[1] * 3), err);
    if (rc)
        return rc;
    if (orientation >= 5)
        swap(size);
    unsigned char *to = d->upright.data;
    for (int64_t y = 0; y < size[0]; y++)
        for (int64_t x = 0; x < size[1]; x++, to += 3)
            memcpy(to, d->pixels.data + 3 * stored_at(orientation, size[0], size[1], y, x), 3);
    return 0;
}

int data__image_decode(struct data__image_decoder *d, const unsigned char *p, size_t bytes, const char *name,
                       const int64_t at_least[2], struct tensor *view, struct err *err)
{
    int64_t size[2];
    int orientation = 1, rc;
    if (is_jpeg(p, bytes))
        rc = data__jpeg_decode(d->jpeg, p, bytes, name, at_least, &d->pixels, size, &orientation, err);
    else if (is_png(p, bytes))
        rc = data__png_decode(p, bytes, name, &d->pixels, size, false, err);
    else
        rc = no_image(name, bytes, err);
    if (!rc && orientation > 1)
        rc = turn(d, orientation, size, err);
    if (rc)
        return rc;
    view->shape = (struct tensor_shape){.dtype = TENSOR_U8, .ndim = 3, .dim = {size[0], size[1], 3}};
    view->data = orientation > 1 ? d->upright.data : d->pixels.data;
    return 0;
}
