/* The range datasets behind `loaderbench trace`. */
#include "loader/range.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/name.h"
#include "base/unit.h"
#include "loader/streams.h"

enum { MOST_FIELDS = 4, MOST_SPEC = 128 };

/* Wide enough for any order to be looked at, narrow enough that a trace of it fits into memory. */
#define MOST INT64_C(1000000000)

static void write_sample(int64_t value, struct sample *out)
{
    struct range_sample s;
    memset(&s, 0, sizeof s);
    s.value = value;
    s.rand = generator_uniform_f32(&loader_streams()->torch);
    memcpy(out->data, &s, sizeof s);
    out->bytes = sizeof s;
    out->index = value;
}

static int64_t range_len(void *self)
{
    return ((struct range_data *)self)->end;
}

static int range_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    struct range_data *d = self;
    if (index < 0 || index >= d->end)
        return err_set(err, -ERANGE, "index %lld is outside 0 to %lld", (long long)index,
                       (long long)d->end - 1);
    write_sample(index, out);
    return 0;
}

static int range_open(void *self, const struct worker_info *info, void **replica, struct err *err)
{
    const struct range_data *d = self;
    struct loader_range *r = malloc(sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "no memory for a range");
    *r = loader_shard_range(d->shard, d->start, d->end, info);
    *replica = r;
    return 0;
}

static int range_next(void *replica, struct sample *out, struct err *err)
{
    (void)err;
    struct loader_range *r = replica;
    if (r->at >= r->end)
        return 0;
    write_sample(r->at, out);
    r->at += r->step;
    return 1;
}

static int parse_shard(const char *word, enum loader_shard *out, struct err *err)
{
    for (int i = 0; i < LOADER_SHARDS; i++)
        if (!strcmp(word, loader_shard_names[i])) {
            *out = (enum loader_shard)i;
            return 0;
        }
    int near = name_nearest(word, loader_shard_names, LOADER_SHARDS);
    return err_set(err, -EINVAL, "'%s' is no way to shard%s%s%s: none, stride or contiguous", word,
                   near >= 0 ? " (did you mean '" : "", near >= 0 ? loader_shard_names[near] : "",
                   near >= 0 ? "'?)" : "");
}

static int parse_map(struct range_data *d, char *const *field, int n, struct err *err)
{
    if (n != 2)
        return err_set(err, -EINVAL, "range-map takes one number: range-map:N");
    d->dataset.name = "range-map";
    d->dataset.len = range_len;
    d->dataset.get = range_get;
    return unit_parse_int("range-map", field[1], 0, MOST, &d->end, err);
}

static int parse_stream(struct range_data *d, char *const *field, int n, struct err *err)
{
    if (n < 3)
        return err_set(err, -EINVAL,
                       "range-iter takes two numbers and a way to shard: range-iter:START:END:SHARD");
    d->stream = true;
    d->dataset.name = "range-iter";
    d->dataset.open = range_open;
    d->dataset.next = range_next;
    d->dataset.close = free;
    int rc = unit_parse_int("range-iter, start", field[1], -MOST, MOST, &d->start, err);
    if (!rc)
        rc = unit_parse_int("range-iter, end", field[2], d->start, MOST, &d->end, err);
    return !rc && n == 4 ? parse_shard(field[3], &d->shard, err) : rc;
}

int range_data_init(struct range_data *out, const char *spec, struct err *err)
{
    char copy[MOST_SPEC], *field[MOST_FIELDS] = {NULL}, *rest = copy;
    int n = 0;
    *out = (struct range_data){.dataset = {.self = out, .sample_bytes_max = sizeof(struct range_sample)}};
    if (snprintf(copy, sizeof copy, "%s", spec) >= (int)sizeof copy)
        return err_set(err, -EINVAL, "'%.40s...' is too long for a range", spec);
    while (rest && n < MOST_FIELDS)
        field[n++] = strsep(&rest, ":");
    if (!rest && !strcmp(field[0], "range-map"))
        return parse_map(out, field, n, err);
    if (!rest && !strcmp(field[0], "range-iter"))
        return parse_stream(out, field, n, err);
    return err_set(err, -EINVAL, "'%s' is no range: range-map:N or range-iter:START:END:SHARD", spec);
}
