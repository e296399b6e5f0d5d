/* Any text as a kernel with arguments: refused with a reason, or values within the table's limits. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/kernel.h"
#include "testing/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    if (!text)
        abort();
    const struct kernel *k;
    struct kernel_value value[KERNEL_ARGS_MAX];
    struct err err = {0};
    if (kernel_parse(text, &k, value, &err))
        assert(err.code && err.text[0]);
    else
        for (int i = 0; i < k->args_n; i++)
            for (int j = 0; k->args[i].kind == KERNEL_ARG_DIMS && j < value[i].count; j++)
                assert((double)value[i].dim[j] >= k->args[i].min &&
                       (double)value[i].dim[j] <= k->args[i].max);
    free(text);
    return 0;
}
