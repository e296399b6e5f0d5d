/* Raw rows as CSV, JSON made readable, and the method in words. */
#include <math.h>
#include <string.h>

#include "quote.h"
#include "report_parts.h"
#include "results/stats/order_statistic.h"

/* A field in quotes, a quote inside doubled. A leading sign that spreadsheets take for a formula gets an
 * apostrophe. */
static void add_field(struct text *out, const char *s)
{
    struct text clean = {0};
    text_add_line(&clean, s ? s : "");
    const char *c = text_get(&clean);
    text_add(out, *c && strchr("=+-@", *c) ? "\"'" : "\"");
    for (; *c; c++)
        text_add_bytes(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    text_add(out, "\"");
    out->failed |= clean.failed;
    text_fini(&clean);
}

static void add_number(struct text *out, double v)
{
    if (isfinite(v))
        text_addf(out, ",%.9g", v);
    else
        text_add(out, ",");
}

static void add_turn(struct text *out, const struct result *r, const struct invocation *inv,
                     const struct trial *t, const struct turn *turn)
{
    text_addf(out, "%d,%d,", inv->index, inv->look);
    add_field(out, r->arms[t->arm].name);
    text_addf(out, ",%d,%d,%lld", turn->block, turn->slot, (long long)turn->samples);
    const double values[] = {turn->cost_ns,     turn->item_ns,      turn->cpu_ns,
                             turn->overhead_ns, turn->other_cpu_ns, turn->steal_ns};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        add_number(out, values[i]);
    text_add(out, ",");
    if (inv->void_reason || turn->void_reason)
        add_field(out, inv->void_reason ? inv->void_reason : turn->void_reason);
    text_add(out, "\r\n");
}

static bool add_turns(const struct result *r, size_t most_bytes, struct text *out)
{
    text_add(
        out,
        "invocation,look,setting,block,slot,samples,cost_ns,item_ns,cpu_ns,overhead_ns,other_cpu_ns,steal_ns,"
        "void\r\n");
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++)
            for (size_t u = 0; u < r->invocations[i].trials[t].nturns; u++) {
                const struct trial *trial = &r->invocations[i].trials[t];
                add_turn(out, r, &r->invocations[i], trial, &trial->turns[u]);
                if (out->len > most_bytes)
                    return false;
            }
    return true;
}

/* Median over the turns that count. */
static double median_cost(const struct trial *t)
{
    enum { MOST = 1024 };
    double v[MOST];
    size_t n = 0;
    for (size_t u = 0; u < t->nturns && n < MOST; u++)
        if (t->turns[u].block > 0 && !t->turns[u].void_reason && isfinite(t->turns[u].cost_ns))
            v[n++] = t->turns[u].cost_ns;
    return stats_median(v, n);
}

static bool add_trials(const struct result *r, size_t most_bytes, struct text *out)
{
    text_add(out, "invocation,look,setting,cost_ns,start_ns,first_batch_ns,peak_bytes,void\r\n");
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; t < r->invocations[i].ntrials; t++) {
            const struct invocation *inv = &r->invocations[i];
            const struct trial *trial = &inv->trials[t];
            text_addf(out, "%d,%d,", inv->index, inv->look);
            add_field(out, r->arms[trial->arm].name);
            add_number(out, median_cost(trial));
            add_number(out, trial->start_ns);
            add_number(out, trial->first_batch_ns);
            add_number(out, trial->peak_bytes);
            text_add(out, ",");
            if (inv->void_reason)
                add_field(out, inv->void_reason);
            text_add(out, "\r\n");
            if (out->len > most_bytes)
                return false;
        }
    return true;
}

void report_rows(const struct result *r, size_t most_bytes, struct text *out, const char **what)
{
    struct text rows = {0};
    *what = "one row a turn";
    if (!add_turns(r, most_bytes, &rows)) {
        text_fini(&rows);
        *what = "one row a trial, the median of its turns";
        if (!add_trials(r, most_bytes, &rows))
            *what = "one row a trial, the median of its turns; only the first invocations, the result file "
                    "has all";
    }
    text_add(out, text_get(&rows));
    out->failed |= rows.failed;
    text_fini(&rows);
}

static void new_line(struct text *out, int depth)
{
    text_add(out, "\n");
    for (int i = 0; i < depth; i++)
        text_add(out, "  ");
}

void report_indent_json(struct text *out, const char *json)
{
    int depth = 0;
    bool in_string = false;
    for (const char *c = json; *c; c++) {
        bool closes = !in_string && (*c == '}' || *c == ']');
        if (closes && depth > 0 && c > json && !strchr("{[", c[-1]))
            new_line(out, depth - 1);
        depth -= closes && depth > 0;
        text_add_bytes(out, c, 1);
        if (*c == '"')
            in_string = !in_string;
        else if (in_string && *c == '\\' && c[1])
            text_add_bytes(out, ++c, 1);
        else if (!in_string && (*c == '{' || *c == '[')) {
            depth++;
            if (c[1] != '}' && c[1] != ']')
                new_line(out, depth);
        } else if (!in_string && *c == ',')
            new_line(out, depth);
        else if (!in_string && *c == ':')
            text_add(out, " ");
    }
}

const char *const report_method[] = {
    "Each setting runs as a fresh tree of processes. All settings of an invocation are alive together and "
    "take turns "
    "of some milliseconds in a balanced order, all others asleep, so that a drift of the machine meets them "
    "all "
    "alike. The first block of turns, or as many as were asked for, only warms up.",
    "The cost of a setting is the median over invocations of the median turn. An interval counts invocations "
    "only: "
    "turns of one invocation share processes and a stretch of time and are not independent. It is the exact "
    "interval "
    "of order statistics, which assumes nothing of the distribution's shape; with fewer than six invocations "
    "there "
    "is none at 95 %.",
    "A setting is compared with the best one within blocks of turns: that takes out what both met. Good "
    "means "
    "surely within the margin of the best, worse means surely beyond it, open means that neither is sure.",
    "The recommended setting is the smallest (workers, then threads, then CPU time) that is within the "
    "margin.",
    "What this cannot say: how the settings do on another machine, under another load, or with another data "
    "set. "
    "On a virtual machine the hypervisor's neighbours are part of what was measured.",
    NULL,
};
