/* Lists of counts for plans. */
#include "axis.h"

#include <errno.h>
#include <stdlib.h>

const struct bench_word axis_thread_words[] = {{"all", 0}, {NULL, 0}};
const char *const axis_on_error_words[] = {"fail", "skip", NULL};

int axis_counts(const int64_t *from, size_t n, int all, int **out, size_t *nout, struct err *err)
{
    *nout = 0;
    int *list = *out = calloc(n + 1, sizeof *list);
    if (!list)
        return err_set(err, -ENOMEM, "out of memory for a list");
    for (size_t i = 0; i < n; i++) {
        int value = from[i] ? (int)from[i] : all;
        size_t j = 0;
        while (j < *nout && list[j] != value)
            j++;
        if (j == *nout)
            list[(*nout)++] = value;
    }
    return 0;
}
