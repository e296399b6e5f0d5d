/* One row for each arm; see rows.h. */
#include "rows.h"

#include <stdlib.h>

#include "quote.h"

enum { NAME_COLUMNS = 36, MANY = 24, VERY_MANY = 80 };

int rows_font(size_t n)
{
    return n > VERY_MANY ? 7 : n > MANY ? 9 : 10;
}

static void add_tics(const struct plot_page *page, const char *const *names, size_t n, size_t columns,
                     struct text *out)
{
    const char *comma = "";
    text_add(out, "set ytics (");
    for (size_t i = 0; i < n; i++) {
        if (!names[i])
            continue;
        text_add(out, comma);
        plot__quote_tic(out, names[i], columns);
        text_addf(out, " %zu", i);
        comma = ", ";
    }
    text_add(out, ")");
    if (!page->terminal)
        text_addf(out, " font \",%d\" textcolor rgb '" PLOT_INK "' scale 0", rows_font(n));
    text_add(out, "\n");
}

void rows_set(struct plot_page *page, const char *const *names, size_t n, size_t columns)
{
    int pitch = n > VERY_MANY ? 12 : n > MANY ? 18 : n > 8 ? 24 : 34;
    page->height = 215 + pitch * (int)(n < 3 ? 3 : n);
    page->rows = (int)n + 10;
    text_addf(
        &page->setup,
        "set yrange [%g:-0.6]\nunset grid\nset grid xtics linetype 1 linewidth 0.6 linecolor rgb '" PLOT_GRID
        "'\n",
        (double)n - 0.4);
    add_tics(page, names, n, columns, &page->setup);
}

/* NULL when memory ran out. The caller's to free. */
static const char **list_names(const struct rows *rows, struct plot_page *page)
{
    const char **names = calloc(rows->n + 1, sizeof *names);
    page->setup.failed |= !names;
    for (size_t i = 0; names && i < rows->n; i++)
        names[i] = rows->arms[i]->label;
    return names;
}

void rows_names(const struct rows *rows, struct plot_page *page, struct text *out)
{
    const char **names = list_names(rows, page);
    if (names)
        add_tics(page, names, rows->n, NAME_COLUMNS, out);
    free(names);
}

struct rows rows_init(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = {.arms = calloc(m->narms + 1, sizeof *rows.arms)};
    for (size_t i = 0; rows.arms && i < m->narms; i++)
        if (plot__measured(&m->arms[i]))
            rows.arms[rows.n++] = &m->arms[i];
    page->setup.failed |= !rows.arms;
    const char **names = list_names(&rows, page);
    if (names)
        rows_set(page, names, rows.n, NAME_COLUMNS);
    free(names);
    return rows;
}

void rows_fini(struct rows *rows)
{
    free(rows->arms);
    *rows = (struct rows){0};
}
