/* The gate: how often it cries wolf, and how often it lets a slowdown pass, over three looks and ten rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "parts.h"
#include "results/stats/design.h"
#include "results/stats/gate.h"

enum { ROWS = 10, MOST = 64, BLOCKS = 2, SLOTS = 4 };

/* What two builds that take turns make of a series that both meet: in each block ABBA or BAAB, beside what each
 * invocation and each turn has of its own. */
static void draw_turns(const struct noise *noise, struct counter_rng *rng, size_t n, double *x)
{
    static double series[MOST * BLOCKS * SLOTS];
    struct stats_design design = {.seed = counter_rng_u64(rng), .blocks = BLOCKS};
    static const int arms[2] = {0, 1};
    noise_draw(noise, rng, series, n * BLOCKS * SLOTS);
    const double *met = series;
    for (size_t i = 0; i < n; i++) {
        x[i] = 0.02 * counter_rng_normal(rng);
        for (int b = 1; b <= BLOCKS; b++) {
            int order[SLOTS];
            if (stats_design_block(&design, (int)i, b, arms, 2, order) < 0)
                abort();
            for (int s = 0; s < SLOTS; s++)
                x[i] += (order[s] ? 0.5 : -0.5) * (*met++ + 0.01 * counter_rng_normal(rng)) / BLOCKS;
        }
    }
}

/* One row's invocations: differences of two draws about `shift`, or a recorded session with swapped arms. */
static void draw(const struct noise *noise, const struct recorded_turns *rec, struct counter_rng *rng,
                 double shift, size_t n, double *x)
{
    double y[MOST] = {0};
    if (noise && !noise_is_independent(noise)) {
        draw_turns(noise, rng, n, x);
    } else if (noise) {
        noise_draw(noise, rng, x, n);
        noise_draw(noise, rng, y, n);
    }
    size_t from = rec ? counter_rng_below(rng, RECORDED_ROUNDS) : 0;
    for (size_t i = 0; i < n; i++) {
        if (rec)
            x[i] = (counter_rng_below(rng, 2) ? 1 : -1) * rec->ratio[(from + i) % RECORDED_ROUNDS];
        else
            x[i] -= y[i];
        x[i] += shift;
    }
}

/* The gate's verdict after at most three looks. */
static enum stats_verdict session(const struct noise *noise, const struct recorded_turns *rec,
                                  struct counter_rng *rng, double shift, size_t nrows, size_t first)
{
    double all[ROWS][MOST], x[ROWS][MOST];
    for (size_t i = 0; i < nrows; i++)
        draw(noise, rec, rng, shift, 4 * first, all[i]);
    enum stats_verdict verdict = STATS_INCONCLUSIVE;
    for (size_t n = first; verdict == STATS_INCONCLUSIVE && n <= 4 * first; n *= 2) {
        struct stats_gate_row rows[ROWS] = {{0}};
        for (size_t i = 0; i < nrows; i++) {
            for (size_t k = 0; k < n; k++)
                x[i][k] = all[i][k];
            rows[i].ratios = x[i];
            rows[i].n = n;
        }
        stats_gate(rows, nrows, log(1.05), 0.01, 3, &verdict, NULL);
    }
    return verdict;
}

static void row(struct suite *s, const char *name, const struct noise *noise,
                const struct recorded_turns *rec, double ratio, enum stats_verdict counted,
                enum row_rule rule, double required, const char *what)
{
    struct tally t = {0};
    size_t first = stats_gate_smallest_n(0.01, 3, ROWS);
    for (size_t k = 0; k < s->replications; k++) {
        struct counter_rng rng;
        counter_rng_init(&rng, s->seed, 7000, k);
        tally_event(&t, session(noise, rec, &rng, log(ratio), ROWS, first) == counted);
    }
    report_row(s, name, what, rule == ROW_SHOWN ? 0 : 0.01, rule, required, &t);
}

static void rows(struct suite *s, const char *name, const struct noise *noise,
                 const struct recorded_turns *rec)
{
    row(s, name, noise, rec, 1, STATS_REGRESSION, ROW_AT_MOST, 0.01, "no change: alarm");
    row(s, name, noise, rec, 1.05, STATS_REGRESSION, ROW_AT_MOST, 0.01, "on the margin: alarm");
    row(s, name, noise, rec, 1.0501, STATS_PASS, ROW_AT_MOST, 0.01, "just over the margin: pass");
    if (s->is_short)
        return;
    row(s, name, noise, rec, 1, STATS_PASS, ROW_SHOWN, 0, "no change: pass");
    row(s, name, noise, rec, 1.10, STATS_REGRESSION, ROW_SHOWN, 0, "10 % slower: found");
    row(s, name, noise, rec, 1.20, STATS_REGRESSION, ROW_SHOWN, 0, "20 % slower: found");
}

void part_gate(struct suite *s, const struct recordings *r)
{
    report_title("The gate, margin 5 %, alpha 1 %, ten rows, three looks", "happened");
    for (const struct noise *noise = noise_made; noise->name; noise++)
        rows(s, noise->name, noise, NULL);
    rows(s, "turns_same_cpu.csv", NULL, &r->same_cpu);
    rows(s, "turns_any_cpu.csv", NULL, &r->any_cpu);
}
