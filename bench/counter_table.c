/* The table of counters. Workers are listed singly up to some number, then as a range. */
#include "counter_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/unit.h"
#include "results/counted.h"

enum { NAME_COLUMN = 32, SINGLY_MAX = 8 };

/* A reason names its counter; where that stands in front already it is not said again. */
static const char *reason_of(const struct counted *c, const char *name)
{
    size_t n = strlen(name);
    return !strncmp(c->reason, name, n) && !strncmp(c->reason + n, ": ", 2) ? c->reason + n + 2 : c->reason;
}

static void add_row(struct text *out, int indent, const char *name, const struct counted *c)
{
    char buf[UNIT_TEXT];
    text_sayf(out, "%*s%s", indent, "", name);
    text_pad_to(out, NAME_COLUMN);
    text_add(out, " ");
    if (*c->reason)
        text_sayf(out, "unavailable: %s", reason_of(c, name));
    else
        text_add(out, unit_format_real(buf, c->value, 4));
    if (!*c->reason && c->share < 0.9995)
        text_sayf(out, " (counted %.3g %% of the time)", 100 * c->share);
    text_add(out, "\n");
}

/* Least and most of many workers, where all of them are known. */
static void add_range(struct text *out, const struct result *r, int arm, const char *name, int workers)
{
    double least = INFINITY, most = -INFINITY;
    char who[32], low[UNIT_TEXT], high[UNIT_TEXT];
    struct counted c;
    for (int w = 0; w < workers; w++) {
        snprintf(who, sizeof who, "worker %d", w);
        c = result_counted(r, arm, name, who);
        if (*c.reason) {
            add_row(out, 4, who, &c);
            return;
        }
        least = fmin(least, c.value);
        most = fmax(most, c.value);
    }
    text_sayf(out, "    %d workers", workers);
    text_pad_to(out, NAME_COLUMN);
    text_sayf(out, " each %s .. %s\n", unit_format_real(low, least, 4), unit_format_real(high, most, 4));
}

static void add_parts(struct text *out, const struct result *r, int arm, const char *name)
{
    int workers = r->arms[arm].setting.workers;
    struct counted c = result_counted(r, arm, name, "consumer");
    char who[32];
    add_row(out, 4, "consumer", &c);
    if (workers > SINGLY_MAX) {
        add_range(out, r, arm, name, workers);
        return;
    }
    for (int w = 0; w < workers; w++) {
        snprintf(who, sizeof who, "worker %d", w);
        c = result_counted(r, arm, name, who);
        add_row(out, 4, who, &c);
    }
}

static int add_arm(struct text *out, const struct result *r, int arm, struct err *err)
{
    struct counted derived[DERIVED_FIGURES];
    const struct trial *t = result_first_trial(r, arm); /* its counters are those of all */
    text_sayf(out, "%s, counted a sample:\n", r->arms[arm].name);
    for (size_t i = 0; t && i < t->ncounters; i++) {
        struct counted c = result_counted(r, arm, t->counters[i].name, NULL);
        add_row(out, 2, t->counters[i].name, &c);
        if (t->counters[i].nparts)
            add_parts(out, r, arm, t->counters[i].name);
    }
    int rc = t ? result_derived(r, arm, derived, err) : 0;
    for (int f = 0; t && !rc && f < DERIVED_FIGURES; f++)
        add_row(out, 2, result_derived_names[f], &derived[f]);
    if (!t)
        text_add(out, "  nothing was measured\n");
    text_add(out, "\n");
    return rc;
}

int counter_table_add(struct text *out, const struct result *r, struct err *err)
{
    int rc = 0;
    for (size_t a = 0; !rc && a < r->narms; a++)
        rc = add_arm(out, r, (int)a, err);
    return rc;
}
