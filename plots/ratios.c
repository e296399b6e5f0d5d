/* Drawing the rows of a gate or a comparison; see plots/ratios.h. */
#include "plots/ratios.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "draw.h"
#include "forest.h"
#include "rows.h"

enum { NAME_COLUMNS = 48, WIDTH = 1240 };

static const struct {
    unsigned rgb;
    int point;
} kinds[PLOT_RATIO_KINDS] = {
    [PLOT_RATIO_GOOD] = {0x009E73, 7}, [PLOT_RATIO_OPEN] = {0x0072B2, 6}, [PLOT_RATIO_BAD] = {0xD55E00, 5}};

static void write_caption(struct plot_page *page, const struct plot_ratios *r)
{
    double margin = r->row[0].margin;
    text_addf(&page->caption, "%zu row%s; bars: %g %% intervals", r->n, r->n == 1 ? "" : "s", 100 * r->level);
    for (size_t i = 1; i < r->n; i++)
        margin = r->row[i].margin == margin ? margin : NAN;
    if (isnan(margin))
        text_add(&page->caption, "; green band: each row's margin");
    else if (margin > 0)
        text_addf(&page->caption, "; green band: the margin of %g %%", 100 * margin);
    text_add(&page->caption, "; above 1 is worse");
}

static void draw_rows(struct plot_page *page, const struct plot_ratios *r, struct forest_row *row,
                      const char **names)
{
    struct forest_look look[PLOT_RATIO_KINDS];
    for (int k = 0; k < PLOT_RATIO_KINDS; k++)
        look[k] = (struct forest_look){r->words[k], kinds[k].rgb, kinds[k].point};
    for (size_t i = 0; i < r->n; i++) {
        const struct plot_ratio *q = &r->row[i];
        row[i] = (struct forest_row){q->ratio, q->low, q->high, q->margin, q->kind, q->verdict};
        names[i] = q->name;
    }
    rows_set(page, names, r->n, NAME_COLUMNS);
    forest_draw(
        page,
        &(struct forest){
            .row = row, .n = r->n, .look = look, .nlooks = PLOT_RATIO_KINDS, .axis = r->axis, .below = true});
}

int plot_ratios(const struct plot_ratios *r, const struct plot_options *opt, struct err *err)
{
    if (!r->n)
        return err_set(err, -ENODATA, "%s cannot be drawn: there is no row", r->file);
    struct plot kind = {
        .name = r->file,
        .title = r->title,
        .question = "Which rows are surely worse, which surely not, which could not be told?",
    };
    struct plot_page page = {.plot = &kind, .width = WIDTH};
    struct forest_row *row = calloc(r->n, sizeof *row);
    const char **names = calloc(r->n, sizeof *names);
    int rc = row && names ? 0 : err_set(err, -ENOMEM, "out of memory for a picture of %zu rows", r->n);
    if (!rc) {
        text_add(&page.subtitle, r->subtitle ? r->subtitle : "");
        write_caption(&page, r);
        draw_rows(&page, r, row, names);
        rc = plot__draw_page(&page, opt, err);
    }
    page_fini(&page);
    free(names);
    free(row);
    return rc;
}
