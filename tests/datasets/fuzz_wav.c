/* Any bytes as a WAVE file: refused with a reason, or all its frames lie inside. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "testing/fuzz.h"
#include "wav.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct data__wav w;
    struct err err = {0};
    unsigned char *bytes = malloc(size ? size : 1);
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    if (data__wav_parse(bytes, size, "fuzz.wav", &w, &err)) {
        assert(err.code && strstr(err.text, "fuzz.wav"));
    } else {
        void *frames = malloc(tensor_bytes(&w.shape));
        if (!frames)
            abort();
        data__wav_decode(&w, bytes + w.offset, frames);
        free(frames);
    }
    free(bytes);
    return 0;
}
