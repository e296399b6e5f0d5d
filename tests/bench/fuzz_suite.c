/* Any bytes as a suite: refused with a reason that begins with the file's name, or read into arms whose values lie within
 * the limits. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common_options.h"
#include "suite.h"
#include "testing/fuzz.h"

static void check(const struct arm *a)
{
    assert(a->name[0] && a->subject[0]);
    assert(a->setting.workers >= 0 && a->setting.workers <= WORKERS_MOST);
    assert(a->setting.threads >= 1 && a->setting.threads <= THREADS_MOST);
    assert(a->setting.prefetch_factor >= !!a->setting.workers && a->setting.prefetch_factor <= PREFETCH_MOST);
    assert(a->workload.batch_size >= 1 && a->workload.batch_size <= BATCH_SIZE_MOST);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 4096 }; /* a few bytes of lists can ask for very many arms */
    FILE *f = size && size <= MOST ? fmemopen((void *)data, size, "r") : NULL;
    if (!f)
        return 0;
    struct suite *s;
    struct result r = {0};
    struct err err = {0};
    int rc = suite_read_stream(f, "s.yaml", &s, &err);
    if (!rc)
        rc = suite_add_arms(s, 2, &r, &err);
    if (rc)
        assert(err.code == rc && !strncmp(err.text, "s.yaml:", 7));
    for (size_t i = 0; !rc && i < r.narms; i++)
        check(&r.arms[i]);
    result_fini(&r);
    suite_free(s);
    fclose(f);
    return 0;
}
