/* Any bytes as a picture: refused with a reason, or as large as its header says, at full size and scaled. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "testing/fuzz.h"

enum { PIXELS_MAX = 1 << 20 }; /* larger ones only take longer */

static void decode(struct data__image_decoder *d, const unsigned char *bytes, size_t size,
                   const int64_t full[2], const int64_t at_least[2])
{
    struct tensor t;
    struct err err = {0};
    if (data__image_decode(d, bytes, size, "fuzz.jpg", at_least, &t, &err)) {
        assert(err.code && strstr(err.text, "fuzz.jpg"));
        return;
    }
    volatile unsigned char seen = 0; /* each pixel is looked at */
    for (size_t i = 0; i < tensor_bytes(&t.shape); i++)
        seen = ((const unsigned char *)t.data)[i];
    (void)seen;
    assert(t.shape.dim[0] <= full[0] && t.shape.dim[1] <= full[1]);
    assert(at_least[0] || (t.shape.dim[0] == full[0] && t.shape.dim[1] == full[1]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct data__image_decoder *d;
    struct err err = {0};
    int64_t full[2];
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes || data__image_decoder_create(&d, NULL))
        abort();
    memcpy(bytes, data, size);
    if (data__image_size(d, bytes, size, "fuzz.jpg", full, &err)) {
        assert(err.code && strstr(err.text, "fuzz.jpg"));
    } else if (full[0] * full[1] <= PIXELS_MAX) {
        decode(d, bytes, size, full, (const int64_t[2]){0, 0});
        decode(d, bytes, size, full, (const int64_t[2]){8, 8});
    }
    data__image_decoder_destroy(d);
    free(bytes);
    return 0;
}
