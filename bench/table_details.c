/* Sentences on single settings: how their items spread, and what to measure more of. */
#include <math.h>

#include "base/unit.h"
#include "table.h"

enum { DETAILS_MAX = 8 };

/* Whether a setting gets sentences of its own: the one to use, or, without a choice, each of a few. */
static bool is_detailed(const struct summary *s, bool recommend, int arm)
{
    bool chosen = recommend && s->choice.state != CHOICE_NONE;
    return chosen ? arm == s->choice.arm : arm < DETAILS_MAX;
}

static void add_quantile(struct text *out, const char *name, double value, const struct interval *ci)
{
    char buf[2 * UNIT_TEXT];
    int digits = summary_digits(value, ci);
    text_sayf(out, "%s %s (", name, unit_format_ns(buf, value, digits));
    if (ci->known)
        text_sayf(out, "of one invocation %s", unit_format_ns_interval(buf, ci->low, ci->high, digits));
    else
        text_add(out, "no interval");
    text_add(out, ")");
}

void table_add_items(struct text *out, const struct summary *s, bool recommend)
{
    for (int i = 0; i < (int)s->result->narms; i++) {
        const struct arm_summary *a = &s->arms[i];
        if (!is_detailed(s, recommend, i) || !isfinite(a->item_p50_ns))
            continue;
        text_sayf(out, "Items of %s, all together: ", s->result->arms[i].name);
        add_quantile(out, "p50", a->item_p50_ns, &a->item_p50_ci);
        add_quantile(out, ", p95", a->item_p95_ns, &a->item_p95_ci);
        add_quantile(out, ", p99", a->item_p99_ns, &a->item_p99_ci);
        text_sayf(out, "; %g %% CIs, n = %d.\n", 100 * s->choice.level, a->item_ns.n);
    }
}

void table_add_effort(struct text *out, const struct summary *s, bool recommend)
{
    for (int i = 0; i < (int)s->result->narms; i++) {
        struct text why = {0};
        if (is_detailed(s, recommend, i) && summary_effort_text(s->result, i, &why))
            text_sayf(out, "Best use of the next minute for %s: %s.\n", s->result->arms[i].name,
                      text_get(&why));
        text_fini(&why);
    }
}
