/* JPEG by libjpeg-turbo, from memory.
 *
 * The library reports failures by a callback that must not return: it jumps back to the call that set the mark (setjmp).
 * Nothing between mark and jump owns memory but the decompressor itself, which is kept for the next image. Warnings that
 * mean missing or damaged picture data are failures here, as what would be delivered is grey; harmless ones (bytes
 * between segments) are not. */
#include <stdio.h>

#include <jpeglib.h>

#include <jerror.h>

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"

enum { SCANS_MAX = 500 }; /* a progressive file may have any number; each costs a pass over the picture */
enum { ROWS = 4 };        /* asked for at once */

struct data__jpeg {
    struct jpeg_decompress_struct info; /* client_data points back here */
    struct jpeg_error_mgr errors;
    struct jpeg_progress_mgr progress;
    jmp_buf mark;
    char text[JMSG_LENGTH_MAX];
    struct data__buffer row; /* CMYK */
};

static void fail(j_common_ptr info)
{
    struct data__jpeg *j = info->client_data;
    info->err->format_message(info, j->text);
    longjmp(j->mark, 1);
}

static bool loses_picture(int code)
{
    return code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
           code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC;
}

static void note(j_common_ptr info, int level)
{
    if (level < 0 && loses_picture(info->err->msg_code))
        fail(info);
}

static void count_scans(j_common_ptr info)
{
    struct data__jpeg *j = info->client_data;
    if (info->is_decompressor && j->info.input_scan_number > SCANS_MAX) {
        snprintf(j->text, sizeof j->text, "more than %d scans", SCANS_MAX);
        longjmp(j->mark, 1);
    }
}

static bool init(struct data__jpeg *j)
{
    j->info.err = jpeg_std_error(&j->errors);
    j->errors.error_exit = fail;
    j->errors.emit_message = note;
    j->info.client_data = j;
    if (setjmp(j->mark))
        return false;
    jpeg_create_decompress(&j->info);
    j->progress.progress_monitor = count_scans;
    j->info.progress = &j->progress;
    jpeg_save_markers(&j->info, JPEG_APP0 + 1, 0xFFFF);
    return true;
}

struct data__jpeg *data__jpeg_create(void)
{
    struct data__jpeg *j = calloc(1, sizeof *j);
    if (j && init(j))
        return j;
    free(j);
    return NULL;
}

void data__jpeg_destroy(struct data__jpeg *j)
{
    if (!j)
        return;
    jpeg_destroy_decompress(&j->info);
    data__buffer_fini(&j->row);
    free(j);
}

/* The failure that the mark was jumped to for. */
static int told(struct data__jpeg *j, const char *name, size_t bytes, struct err *err)
{
    size_t left = j->info.src ? j->info.src->bytes_in_buffer : 0;
    jpeg_abort_decompress(&j->info);
    return err_set(err, -EBADMSG, "%s: offset %zu of %zu: %s", name, bytes - (left < bytes ? left : bytes),
                   bytes, j->text);
}

static void read_header(struct data__jpeg *j, const unsigned char *p, size_t bytes, int *orientation)
{
    jpeg_mem_src(&j->info, p, bytes);
    jpeg_read_header(&j->info, TRUE);
    *orientation = 1;
    for (jpeg_saved_marker_ptr m = j->info.marker_list; m && *orientation == 1; m = m->next)
        *orientation = data__exif_orientation(m->data, m->data_length);
}

int data__jpeg_size(struct data__jpeg *j, const unsigned char *p, size_t bytes, const char *name,
                    int64_t size[2], int *orientation, struct err *err)
{
    if (setjmp(j->mark))
        return told(j, name, bytes, err);
    read_header(j, p, bytes, orientation);
    size[0] = j->info.image_height;
    size[1] = j->info.image_width;
    jpeg_abort_decompress(&j->info);
    return data__image_check_size(name, (uint64_t)size[0], (uint64_t)size[1], err);
}

/* The smallest of 1/8, 1/4, 1/2 that keeps the picture at least so high and wide. */
static void choose_scale(struct data__jpeg *j, int64_t height, int64_t width)
{
    j->info.scale_denom = 8;
    for (unsigned num = 1; num <= 8; num *= 2) {
        j->info.scale_num = num;
        if (height > 0 && (int64_t)j->info.image_height * num / 8 >= height &&
            (int64_t)j->info.image_width * num / 8 >= width)
            return;
    }
}

/* Adobe writes CMYK upside down: 255 is no ink. */
static void cmyk_to_rgb(const unsigned char *from, unsigned char *to, size_t pixels, bool adobe)
{
    for (size_t i = 0; i < pixels; i++, from += 4)
        for (int c = 0; c < 3; c++)
            *to++ = (unsigned char)((adobe ? from[c] * from[3] : (255 - from[c]) * (255 - from[3])) / 255);
}

static int read_rows(struct data__jpeg *j, struct data__buffer *out, struct err *err)
{
    size_t width = j->info.output_width, pitch = width * 3;
    bool cmyk = j->info.out_color_space == JCS_CMYK;
    int rc = data__buffer_reserve(out, pitch * j->info.output_height, err);
    if (!rc && cmyk)
        rc = data__buffer_reserve(&j->row, width * 4, err);
    while (!rc && j->info.output_scanline < j->info.output_height) {
        unsigned char *to = out->data + j->info.output_scanline * pitch;
        unsigned left = j->info.output_height - j->info.output_scanline;
        unsigned n = cmyk ? 1 : left < ROWS ? left : ROWS;
        JSAMPROW rows[ROWS];
        for (unsigned i = 0; i < n; i++)
            rows[i] = cmyk ? j->row.data : to + i * pitch;
        jpeg_read_scanlines(&j->info, rows, n);
        if (cmyk)
            cmyk_to_rgb(j->row.data, to, width, j->info.saw_Adobe_marker);
    }
    return rc;
}

int data__jpeg_decode(struct data__jpeg *j, const unsigned char *p, size_t bytes, const char *name,
                      const int64_t at_least[2], struct data__buffer *out, int64_t size[2], int *orientation,
                      struct err *err)
{
    if (setjmp(j->mark))
        return told(j, name, bytes, err);
    read_header(j, p, bytes, orientation);
    int rc = data__image_check_size(name, j->info.image_height, j->info.image_width, err);
    if (!rc) {
        bool turned = *orientation >= 5;
        choose_scale(j, at_least[turned], at_least[!turned]);
        bool cmyk = j->info.jpeg_color_space == JCS_CMYK || j->info.jpeg_color_space == JCS_YCCK;
        j->info.out_color_space = cmyk ? JCS_CMYK : JCS_RGB;
        jpeg_start_decompress(&j->info);
        size[0] = j->info.output_height;
        size[1] = j->info.output_width;
        rc = read_rows(j, out, err);
    }
    if (!rc)
        jpeg_finish_decompress(&j->info);
    jpeg_abort_decompress(&j->info);
    return rc;
}
