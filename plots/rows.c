/* One row for each arm; see rows.h. */
#include "rows.h"

#include <stdlib.h>

#include "quote.h"

enum { NAME_COLUMNS = 36, MANY = 24, VERY_MANY = 80 };

void rows_names(const struct rows *rows, struct plot_page *page, struct text *out)
{
    text_add(out, "set ytics (");
    for (size_t i = 0; i < rows->n; i++) {
        text_add(out, i ? ", " : "");
        plot__quote_tic(out, rows->arms[i]->label, NAME_COLUMNS);
        text_addf(out, " %zu", i);
    }
    text_add(out, ")");
    if (!page->terminal)
        text_addf(out, " font \",%d\" textcolor rgb '" PLOT_INK "' scale 0",
                  rows->n > VERY_MANY ? 7
                  : rows->n > MANY    ? 9
                                      : 10);
    text_add(out, "\n");
}

struct rows rows_init(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = {.arms = calloc(m->narms + 1, sizeof *rows.arms)};
    if (!rows.arms) {
        page->setup.failed = 1;
        return rows;
    }
    for (size_t i = 0; i < m->narms; i++)
        if (plot__measured(&m->arms[i]))
            rows.arms[rows.n++] = &m->arms[i];
    int pitch = rows.n > VERY_MANY ? 12 : rows.n > MANY ? 18 : rows.n > 8 ? 24 : 34;
    page->height = 215 + pitch * (int)(rows.n < 3 ? 3 : rows.n);
    page->rows = (int)rows.n + 10;
    text_addf(
        &page->setup,
        "set yrange [%g:-0.6]\nunset grid\nset grid xtics linetype 1 linewidth 0.6 linecolor rgb '" PLOT_GRID
        "'\n",
        (double)rows.n - 0.4);
    rows_names(&rows, page, &page->setup);
    return rows;
}

void rows_fini(struct rows *rows)
{
    free(rows->arms);
    *rows = (struct rows){0};
}
