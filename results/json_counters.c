/* JSON of counters and of their parts: a value and its share, or null and the reason. */
#include "results/json.h"

#include <errno.h>
#include <stdlib.h>

static json_t *count_json(const char *key, const char *name, double value, double share, const char *reason)
{
    json_t *o = json_pack("{s:o, s:o}", key, result_json_text(name), "value", result_json_real(value));
    if (reason)
        json_object_set_new(o, "unavailable", result_json_text(reason));
    else
        json_object_set_new(o, "share", result_json_real(share));
    return o;
}

static json_t *parts_json(const struct counter *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->nparts; i++) {
        const struct counter_part *p = &c->part[i];
        json_array_append_new(list, count_json("who", p->who, p->value, p->share, p->reason));
    }
    return list;
}

json_t *result_json_counters(const struct trial *t)
{
    json_t *list = json_array();
    for (size_t i = 0; i < t->ncounters; i++) {
        const struct counter *c = &t->counters[i];
        json_t *o = count_json("name", c->name, c->value, c->share, c->reason);
        if (c->nparts)
            json_object_set_new(o, "by", parts_json(c));
        json_array_append_new(list, o);
    }
    return list;
}

static int get_parts(const json_t *list, struct counter *out)
{
    size_t n = json_array_size(list), i;
    json_t *o;
    out->part = n ? calloc(n, sizeof *out->part) : NULL;
    if (n && !out->part)
        return -ENOMEM;
    json_array_foreach (list, i, o) {
        char *who = result_json_get_text(o, "who");
        if (!who)
            return -EINVAL;
        out->part[out->nparts++] = (struct counter_part){.who = who,
                                                         .value = result_json_get_real(o, "value"),
                                                         .share = result_json_get_real(o, "share"),
                                                         .reason = result_json_get_text(o, "unavailable")};
    }
    return 0;
}

int result_json_get_counters(const json_t *list, struct trial *out)
{
    size_t n = json_array_size(list), i;
    json_t *o;
    int rc = 0;
    out->counters = n ? calloc(n, sizeof *out->counters) : NULL;
    if (n && !out->counters)
        return -ENOMEM;
    json_array_foreach (list, i, o) {
        char *name = result_json_get_text(o, "name");
        if (!name) {
            rc = -EINVAL;
            continue;
        }
        struct counter *c = &out->counters[out->ncounters++];
        *c = (struct counter){.name = name,
                              .value = result_json_get_real(o, "value"),
                              .share = result_json_get_real(o, "share"),
                              .reason = result_json_get_text(o, "unavailable")};
        int parts = get_parts(json_object_get(o, "by"), c);
        rc = parts ? parts : rc;
    }
    return rc;
}
