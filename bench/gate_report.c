/* The model of a gate's outcome, and how people read it. Other readers: gate_formats.c. */
#include "gate_report.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "results/summary.h"

int gate_report_init(struct gate_report *g, size_t nrows, struct err *err)
{
    *g = (struct gate_report){.row = calloc(nrows + 1, sizeof *g->row),
                              .nrows = nrows,
                              .exit = BENCH_EXIT_INCONCLUSIVE,
                              .word = "INCONCLUSIVE"};
    if (!g->row) {
        g->nrows = 0;
        return err_set(err, -ENOMEM, "out of memory for %zu rows", nrows);
    }
    for (size_t i = 0; i < nrows; i++) {
        g->row[i].ratio = g->row[i].low = g->row[i].high = NAN;
        g->row[i].smallest_seen = INFINITY;
    }
    return 0;
}

void gate_report_fini(struct gate_report *g)
{
    for (size_t i = 0; i < g->nrows; i++)
        free(g->row[i].name);
    free(g->row);
    text_fini(&g->warnings);
    text_fini(&g->machine);
    *g = (struct gate_report){0};
}

static size_t count_missing(const struct gate_report *g)
{
    size_t n = 0;
    for (size_t i = 0; i < g->nrows; i++)
        n += g->row[i].missing;
    return n;
}

/* However many rows regressed, the exit code is 1: it is a word, not a count. */
void gate_report_conclude(struct gate_report *g, enum stats_verdict v, enum bench_exit if_inconclusive)
{
    size_t missing = count_missing(g);
    if (v == STATS_REGRESSION) {
        g->exit = BENCH_EXIT_REGRESSION;
        g->word = "REGRESSION";
    } else if (missing) {
        g->exit = BENCH_EXIT_FAILED;
        g->word = "FAILED";
        snprintf(g->failure, sizeof g->failure, "%zu of %zu rows could not be compared", missing, g->nrows);
    } else if (v == STATS_PASS) {
        g->exit = BENCH_EXIT_DONE;
        g->word = "PASS";
    } else {
        g->exit = if_inconclusive;
        g->word = "INCONCLUSIVE";
    }
}

void gate_report_fail(struct gate_report *g, int rc, const struct err *err)
{
    static const struct {
        int rc;
        enum bench_exit exit;
        const char *word;
    } codes[] = {{-EINTR, BENCH_EXIT_INTERRUPTED, "INTERRUPTED"},
                 {-EXDEV, BENCH_EXIT_UNFIT, "UNFIT"},
                 {-ETIMEDOUT, BENCH_EXIT_TIMEOUT, "TIMEOUT"}};
    g->exit = BENCH_EXIT_FAILED;
    g->word = "FAILED";
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].rc == rc) {
            g->exit = codes[i].exit;
            g->word = codes[i].word;
        }
    snprintf(g->failure, sizeof g->failure, "%s", err->text);
}

static const char *row_word(const struct gate_row *row)
{
    static const char *const words[] = {
        [STATS_INCONCLUSIVE] = "INCONCLUSIVE", [STATS_PASS] = "PASS", [STATS_REGRESSION] = "REGRESSION"};
    return row->missing ? "MISSING" : row->is_new ? "NEW" : words[row->verdict];
}

static void add_row(struct text *t, const struct gate_row *row)
{
    text_sayf(t, "%-12s  %s, %s: ", row_word(row), row->name, row->metric);
    if (!isfinite(row->ratio)) {
        text_sayf(t, "%s\n", *row->note ? row->note : "not measured");
        return;
    }
    int d = summary_ratio_decimals(row->ratio, row->low, row->high);
    text_sayf(t, "x %.*f", d, row->ratio);
    if (isfinite(row->low) && isfinite(row->high))
        text_sayf(t, " (95 %% CI %.*f .. %.*f, %zu %s)", d, row->low, d, row->high, row->n, row->counts);
    else
        text_sayf(t, " (%zu %s: no interval)", row->n, row->counts);
    text_sayf(t, "; margin %.3g %%", 100 * row->margin);
    if (isfinite(row->smallest_seen))
        text_sayf(t, ", would have seen x %.*f", d, row->smallest_seen);
    text_sayf(t, "%s%s\n", *row->note ? "; " : "", row->note);
}

static void add_head(struct text *t, const struct gate_report *g)
{
    text_add(t, g->word);
    if (*g->failure)
        text_sayf(t, ": %s", g->failure);
    else
        text_sayf(t, ": rule %s, risk of a false alarm %.3g %%, look %d of %d", g->rule, 100 * g->alpha,
                  g->look, g->looks);
    text_add(t, "\n\n");
}

void gate_report_text(const struct gate_report *g, struct text *out)
{
    add_head(out, g);
    for (size_t i = 0; i < g->nrows; i++)
        add_row(out, &g->row[i]);
    text_add(out, text_get(&g->warnings));
    if (!*g->failure)
        text_add(out, text_get(&g->machine));
    if (g->path)
        text_sayf(out, "Result: %s\n", g->path);
}

/* ---- Markdown ---- */

static void add_markdown_row(struct text *t, const struct gate_row *row)
{
    text_add(t, "|");
    export_cell(t, row_word(row));
    export_cell(t, row->name);
    export_cell(t, row->metric);
    int d = summary_ratio_decimals(row->ratio, row->low, row->high);
    if (isfinite(row->ratio))
        text_sayf(t, " %.*f |", d, row->ratio);
    else
        text_add(t, " – |");
    if (isfinite(row->low) && isfinite(row->high))
        text_sayf(t, " %.*f .. %.*f |", d, row->low, d, row->high);
    else
        text_add(t, " – |");
    text_sayf(t, " %.3g %% |", 100 * row->margin);
    if (isfinite(row->smallest_seen))
        text_sayf(t, " %.*f |", d, row->smallest_seen);
    else
        text_add(t, " – |");
    text_sayf(t, " %zu |", row->n);
    export_cell(t, row->note);
    text_add(t, "\n");
}

static void add_method(struct text *t, const struct gate_report *g)
{
    text_add(
        t,
        "\n<details><summary>How this was measured</summary>\n\n"
        "Both sides run as fresh processes; the unit of inference is the invocation (or the session, where "
        "stored results are compared). Intervals are exact order-statistic intervals of the median ratio. "
        "A row is a REGRESSION when it is surely worse by more than its margin, over all rows and looks "
        "together, and INCONCLUSIVE when neither that nor a pass could be told.\n\n");
    text_sayf(t, "Rule %s, risk of a false alarm %.3g %%, look %d of %d, %.0f s.\n", g->rule ? g->rule : "-",
              100 * g->alpha, g->look, g->looks, g->seconds);
    text_add(t, g->machine.len ? "\n" : "");
    text_add(t, text_get(&g->machine));
    text_add(t, "\n</details>\n");
}

static void add_failure(struct text *t, const char *words)
{
    export_markdown(t, words);
    text_add(t, "\n\n");
}

/* Lines as they are, in a fence longer than any run of its signs in them. */
static void add_code(struct text *t, const char *lines)
{
    size_t longest = 2;
    for (const char *p = lines; *p; p += *p != '\0') {
        size_t run = strspn(p, "`");
        longest = run > longest ? run : longest;
        p += run;
    }
    for (int end = 0; end < 2; end++) {
        text_add(t, end ? lines : "\n");
        for (size_t i = 0; i <= longest; i++)
            text_add(t, "`");
        text_add(t, "\n");
    }
}

void gate_report_markdown(const struct gate_report *g, struct text *out)
{
    text_sayf(out, "## Gate: %s\n\n", g->word);
    if (*g->failure)
        add_failure(out, g->failure);
    text_add(out, "| verdict | row | metric | ratio | 95 % interval | margin | would have seen | n | note |\n"
                  "|---|---|---|---:|---:|---:|---:|---:|---|\n");
    for (size_t i = 0; i < g->nrows; i++)
        add_markdown_row(out, &g->row[i]);
    if (g->warnings.len)
        add_code(out, text_get(&g->warnings));
    add_method(out, g);
}
