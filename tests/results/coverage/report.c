/* Prints the table as Markdown. */
#include "report.h"

#include <math.h>
#include <stdio.h>

#include "results/stats/order_statistic.h"
#include "results/stats/proportion.h"

void tally_interval(struct tally *t, bool known, double low, double high, double value, double truth)
{
    if (!known) {
        t->silent++;
        return;
    }
    double slack = 1e-9; /* ratios went through exp and log */
    t->hits += low <= truth + slack && high >= truth - slack;
    t->widths += high - low;
    if (t->misses)
        t->misses[t->n] = fabs(value - truth);
    t->n++;
}

void tally_event(struct tally *t, bool hit)
{
    t->hits += hit;
    t->n++;
}

void report_title(const char *title, const char *hits)
{
    printf("\n### %s\n\n| noise | case | nominal | required | %s | width / best possible "
           "|\n|---|---|---|---|---|---|\n",
           title, hits);
}

/* In a short run a share that chance allows is no failure: one-sided, 99.9 %. */
static bool keeps(const struct suite *s, enum row_rule rule, double required, const struct tally *t)
{
    if (rule == ROW_SHOWN)
        return true;
    if (t->n == 0)
        return false;
    double share = (double)t->hits / (double)t->n;
    if (!s->is_short)
        return rule == ROW_AT_LEAST ? share >= required : share <= required;
    if (rule == ROW_AT_LEAST)
        return stats_proportion_upper(t->hits, t->n, 0.999) >= required;
    return 1 - stats_proportion_upper(t->n - t->hits, t->n, 0.999) <= required;
}

static void print_width(const struct tally *t, double nominal)
{
    if (!t->misses || t->n == 0) {
        printf(" |\n");
        return;
    }
    stats_sort(t->misses, t->n);
    double best = 2 * stats_quantile_sorted(t->misses, t->n, nominal);
    if (best > 1e-9)
        printf(" %.2f |\n", t->widths / (double)t->n / best);
    else
        printf(" - |\n");
}

void report_row(struct suite *s, const char *name, const char *what, double nominal, enum row_rule rule,
                double required, const struct tally *t)
{
    static const char *const signs[] = {">= ", "<= ", ""};
    bool kept = keeps(s, rule, required, t);
    s->failed |= !kept;
    s->rows++;
    printf("| %s | %s | ", name, what);
    if (nominal > 0)
        printf("%g %% ", 100 * nominal);
    printf("| ");
    if (rule != ROW_SHOWN)
        printf("%s%g %% ", signs[rule], 100 * required);
    printf("| %.2f %% of %zu%s", t->n ? 100 * (double)t->hits / (double)t->n : NAN, t->n,
           kept ? "" : " BROKEN");
    if (t->silent)
        printf(", %zu silent", t->silent);
    printf(" |");
    print_width(t, nominal);
    fflush(stdout);
}
