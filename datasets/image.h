/* Encoded images to pixels: height x width x 3, RGB, 8 bits. */
#ifndef DATASETS_IMAGE_H
#define DATASETS_IMAGE_H

#include "files.h"

/* One worker's decoder: libraries' state and memory that grows. */
struct data__image_decoder;

int data__image_decoder_create(struct data__image_decoder **out, struct err *err);
void data__image_decoder_destroy(struct data__image_decoder *d);

/* Height and width as they will be decoded (turned as EXIF says), from the header alone.
 * Errors: -EBADMSG naming `name` and what is wrong, -EFBIG more than 2^27 pixels, -ENOTSUP no JPEG or PNG. */
int data__image_size(struct data__image_decoder *d, const unsigned char *p, size_t bytes, const char *name,
                     int64_t size[2], struct err *err);

/* Decodes. A JPEG is scaled by 1/2, 1/4 or 1/8 while decoding as long as it stays at least `at_least` high and wide
 * (0 = full size). The view is the decoder's, until its next call. Errors: as above, -ENOMEM. */
int data__image_decode(struct data__image_decoder *d, const unsigned char *p, size_t bytes, const char *name,
                       const int64_t at_least[2], struct tensor *view, struct err *err);

/* Files that may hold an image: "jpg", "jpeg", "png". */
extern const char *const data__image_endings[];

/* Private to the decoders below. */
enum { IMAGE_PIXELS_MAX = 1 << 27 };
int data__image_check_size(const char *name, uint64_t height, uint64_t width, struct err *err);

struct data__jpeg;
struct data__jpeg *data__jpeg_create(void);
void data__jpeg_destroy(struct data__jpeg *j);
int data__jpeg_size(struct data__jpeg *j, const unsigned char *p, size_t bytes, const char *name,
                    int64_t size[2], int *orientation, struct err *err);
int data__jpeg_decode(struct data__jpeg *j, const unsigned char *p, size_t bytes, const char *name,
                      const int64_t at_least[2], struct data__buffer *out, int64_t size[2], int *orientation,
                      struct err *err);

int data__png_decode(const unsigned char *p, size_t bytes, const char *name, struct data__buffer *out,
                     int64_t size[2], bool header_only, struct err *err);

/* EXIF orientation, 1 to 8, of an APP1 segment's contents; 1 when there is none or it makes no sense. */
int data__exif_orientation(const unsigned char *p, size_t bytes);

#endif
