/* Photos of the speed benchmark; see photos.h. libjpeg's own error handler ends the program: these files are no test of
 * bad input. */
#include "photos.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>

enum { WIDTH = 307, HEIGHT = 173, QUALITY = 92, WAVES = 24, ROWS_MAX = 1 << 14 };

static int keep(const struct tensor *view, struct photo *out)
{
    out->bytes = tensor_bytes(&view->shape);
    out->data = malloc(out->bytes);
    if (!out->data)
        return -ENOMEM;
    memcpy(out->data, view->data, out->bytes);
    return 0;
}

static int read_all(struct photos *out, struct err *err)
{
    int64_t n = data_source_info(out->source)->samples;
    int rc = data_reader_open(out->source, 0, 1, &out->reader, err);
    out->photo = calloc((size_t)n, sizeof *out->photo);
    for (; !rc && out->photo && out->n < n; out->n++) {
        struct tensor view;
        rc = data_reader_get(out->reader, out->n, &view, err);
        rc = rc ? rc : keep(&view, &out->photo[out->n]);
    }
    return rc;
}

int photos_read(const char *spec, struct photos *out, struct err *err)
{
    struct data_config cfg = {.spec = spec};
    *out = (struct photos){0};
    int rc = data_source_open(&cfg, &out->source, err);
    return rc ? rc : read_all(out, err);
}

void photos_fini(struct photos *p)
{
    for (int i = 0; i < p->n; i++)
        free(p->photo[i].data);
    free(p->photo);
    data_reader_close(p->reader);
    data_source_close(p->source);
}

/* Waves of many lengths over a gradient: energy at all frequencies, falling as in a photo, and no two pictures alike. */
static void draw_row(unsigned char *row, int y, unsigned picture)
{
    for (int x = 0; x < WIDTH; x++)
        for (int c = 0; c < 3; c++) {
            double v = 96 + 40.0 * x / WIDTH + 30.0 * y / HEIGHT;
            for (int k = 1; k <= WAVES; k++) {
                unsigned h = (picture * 131 + (unsigned)k * 31) * 2654435761U;
                double u = (h >> 8 & 255) / 255.0 - 0.5, w = (h >> 16 & 255) / 255.0 - 0.5;
                v += 26 / sqrt(k) * sin(0.12 * k * (u * x + w * y) + (h >> 24) + 0.4 * c);
            }
            row[x * 3 + c] = (unsigned char)(v < 0 ? 0 : v > 255 ? 255 : v);
        }
}

static int make_one(const char *path, unsigned picture)
{
    FILE *f = fopen(path, "wbe");
    if (!f)
        return -1;
    struct jpeg_compress_struct c;
    struct jpeg_error_mgr errors;
    c.err = jpeg_std_error(&errors);
    jpeg_create_compress(&c);
    jpeg_stdio_dest(&c, f);
    c.image_height = HEIGHT;
    c.image_width = WIDTH;
    c.input_components = 3;
    c.in_color_space = JCS_RGB;
    jpeg_set_defaults(&c);
    jpeg_set_quality(&c, QUALITY, TRUE);
    jpeg_start_compress(&c, TRUE);
    for (int y = 0; y < HEIGHT; y++) {
        unsigned char row[WIDTH * 3];
        draw_row(row, y, picture);
        JSAMPROW rows[1] = {row};
        jpeg_write_scanlines(&c, rows, 1);
    }
    jpeg_finish_compress(&c);
    jpeg_destroy_compress(&c);
    return fclose(f) ? -1 : 0;
}

int photos_make(const char *directory, int n)
{
    for (int i = 0; i < n; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%03d.jpg", directory, i);
        if (make_one(path, (unsigned)i))
            return -1;
    }
    return 0;
}

static long decode_one(struct jpeg_decompress_struct *d, const struct photo *p, unsigned char **pixels,
                       size_t *room)
{
    static JSAMPROW rows[ROWS_MAX];
    jpeg_mem_src(d, p->data, p->bytes);
    jpeg_read_header(d, TRUE);
    d->out_color_space = JCS_RGB;
    jpeg_start_decompress(d);
    size_t pitch = (size_t)d->output_width * 3, need = pitch * d->output_height;
    if (need > *room) {
        free(*pixels);
        *pixels = malloc(need);
        *room = need;
    }
    if (!*pixels || d->output_height > ROWS_MAX)
        return -1;
    for (unsigned i = 0; i < d->output_height; i++)
        rows[i] = *pixels + i * pitch;
    while (d->output_scanline < d->output_height)
        jpeg_read_scanlines(d, rows + d->output_scanline, d->output_height - d->output_scanline);
    jpeg_finish_decompress(d);
    return (long)(need / 3);
}

static int find_photo(const struct photos *p, int i, bool from_files, struct photo *out)
{
    struct tensor view;
    *out = p->photo[i];
    if (!from_files)
        return 0;
    int rc = data_reader_get(p->reader, i, &view, NULL);
    if (!rc)
        *out = (struct photo){.data = view.data, .bytes = tensor_bytes(&view.shape)};
    return rc;
}

long photos_decode(const struct photos *p, bool from_files)
{
    struct jpeg_decompress_struct d;
    struct jpeg_error_mgr errors;
    unsigned char *pixels = NULL;
    size_t room = 0;
    long sum = 0;
    d.err = jpeg_std_error(&errors);
    jpeg_create_decompress(&d);
    for (int i = 0; i < p->n && sum >= 0; i++) {
        struct photo one;
        long n = find_photo(p, i, from_files, &one) ? -1 : decode_one(&d, &one, &pixels, &room);
        sum = n < 0 ? -1 : sum + n;
    }
    jpeg_destroy_decompress(&d);
    free(pixels);
    return sum;
}
