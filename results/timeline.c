/* The timeline of a trial as JSON: an array a batch, since a result file has hundreds of them. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/json.h"

enum { MEMBERS = 6 };

json_t *result_json_timeline(const struct batch_times *b, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_pack("[I, i, I, I, I, I]", (json_int_t)b[i].number, b[i].worker,
                                              (json_int_t)b[i].started_ns, (json_int_t)b[i].finished_ns,
                                              (json_int_t)b[i].received_ns, (json_int_t)b[i].wait_ns));
    return list;
}

/* A batch that is received before it is finished, or finished before it was begun, is none. */
static bool get_batch(const json_t *o, struct batch_times *out)
{
    double v[MEMBERS];
    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *member = json_array_get(o, i);
        v[i] = json_is_number(member) ? json_number_value(member) : NAN;
        if (!(fabs(v[i]) < 1e18))
            return false;
    }
    *out = (struct batch_times){(int64_t)v[0], (int)fmax(-1, fmin(v[1], 65536)), v[2], v[3], v[4], v[5]};
    return out->started_ns <= out->finished_ns && out->finished_ns <= out->received_ns && out->wait_ns >= 0;
}

int result_json_get_timeline(const json_t *list, struct batch_times **out, size_t *n, struct err *err)
{
    size_t most = json_array_size(list);
    *out = NULL;
    *n = 0;
    if (!most)
        return 0;
    *out = calloc(most, sizeof **out);
    if (!*out)
        return err_set(err, -ENOMEM, "out of memory for a timeline of %zu batches", most);
    for (size_t i = 0; i < most; i++)
        *n += get_batch(json_array_get(list, i), &(*out)[*n]);
    return 0;
}
