/* Any bytes as an npy file: refused with a reason, or all its elements lie inside. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "testing/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct data__npy n;
    struct err err = {0};
    unsigned char *bytes = malloc(size ? size : 1); /* its own block: what lies behind it is guarded */
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    if (data__npy_parse(bytes, size, "fuzz.npy", &n, &err)) {
        assert(err.code && strstr(err.text, "fuzz.npy"));
    } else {
        int64_t elements = 1;
        for (int i = 0; i < n.ndim; i++)
            elements *= n.dim[i];
        double room[1];
        for (int64_t i = 0; i < elements; i++)
            data__npy_convert(&n, bytes + n.offset, i, room, 0);
    }
    free(bytes);
    return 0;
}
