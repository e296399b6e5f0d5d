/* Every setting against the best one: ratio with interval, and the margin. */
#include "forest.h"

#include <math.h>
#include <stdlib.h>

#include "rows.h"

static const char *missing(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (isfinite(m->arms[i].sum->to_best.value))
            return NULL;
    return "no setting was compared with the best";
}

/* In the order of the list of looks below. */
static const enum arm_standing standings[] = {ARM_GOOD, ARM_IN_RACE, ARM_SLOWER, ARM_WORSE};
static const struct forest_look looks[] = {
    {"within the margin, for sure", 0x009E73, 7},
    {"still open", 0x0072B2, 6},
    {"slower than a smaller one, for sure", 0xE69F00, 9},
    {"worse by the margin, for sure", 0xD55E00, 5},
};
enum { LOOKS = sizeof looks / sizeof *looks };

/* NaN where the results do not have the same. */
static double margin_of(const struct plot_model *m)
{
    double margin = m->s[0]->result->margin;
    for (size_t i = 1; i < m->nresults; i++)
        if (m->s[i]->result->margin != margin)
            return NAN;
    return margin;
}

static struct forest_row row_of(const struct plot_arm *a, double margin)
{
    const struct estimate *e = &a->sum->to_best;
    struct forest_row r = {e->value, e->ci.known ? e->ci.low : NAN, e->ci.known ? e->ci.high : NAN, margin, 0,
                           NULL};
    while (r.look < LOOKS && standings[r.look] != a->sum->standing)
        r.look++;
    return r;
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = rows_init(m, page);
    struct forest_row *row = calloc(rows.n + 1, sizeof *row);
    double margin = margin_of(m);
    page->setup.failed |= !row;
    for (size_t i = 0; row && i < rows.n; i++)
        row[i] = row_of(rows.arms[i], margin);
    page_caption_intervals(page, m);
    if (margin > 0 && !page->terminal)
        text_addf(&page->caption, "; green band: within %g %% of the best", margin * 100);
    if (row)
        forest_draw(page,
                    &(struct forest){.row = row,
                                     .n = rows.n,
                                     .look = looks,
                                     .nlooks = LOOKS,
                                     .axis = "cost over the cost of the best setting, paired within blocks"});
    free(row);
    rows_fini(&rows);
}

const struct plot plot_forest = {
    .name = "forest",
    .title = "Every setting against the best",
    .question = "Which settings are as good as the best, which are surely worse, which are still open?",
    .alt = "A row for each setting: its cost over the best setting's as a point with its interval, against "
           "the band "
           "of the margin.",
    .missing = missing,
    .draw = draw,
};
