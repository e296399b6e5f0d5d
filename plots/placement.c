/* Where the workers were put: threads on each CPU, as read back in the last invocation that counts, over the packages,
 * NUMA nodes, caches and cores that the CPUs belong to. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layout.h"
#include "quote.h"
#include "rows.h"

enum { MOST_CPUS = 1024, MOST_COLUMNS = 256, MOST_FIGURES = 32, WORKERS_TEXT = 64 };
enum { FRAME_RIGHT = 24, COLUMN_LEAST = 5, BAND_PX = 20 };

/* ---- what is in the record ---- */

/* "0-2,5" into marks; returns how many CPUs that are. What is no such list gives what was read until then. */
static int read_list(const char *s, bool marks[MOST_CPUS])
{
    int n = 0;
    memset(marks, 0, MOST_CPUS * sizeof *marks);
    while (s && *s >= '0' && *s <= '9') {
        char *end;
        long from = strtol(s, &end, 10), to = from;
        if (*end == '-')
            to = strtol(end + 1, &end, 10);
        for (long c = from; c <= to && c < MOST_CPUS; c++)
            if (!marks[c]) {
                marks[c] = true;
                n++;
            }
        s = *end == ',' ? end + 1 : NULL;
    }
    return n;
}

static const char *last_placement(const struct plot_arm *a)
{
    const struct result *r = a->summary->result;
    for (size_t i = r->ninvocations; i-- > 0;)
        for (size_t t = 0; !r->invocations[i].void_reason && t < r->invocations[i].ntrials; t++)
            if (r->invocations[i].trials[t].arm == a->index && r->invocations[i].trials[t].placement)
                return r->invocations[i].trials[t].placement;
    return NULL;
}

/* What an arm's placement puts on each CPU, by the operating system's numbers. */
struct load {
    double threads[MOST_CPUS];
    char workers[MOST_CPUS][WORKERS_TEXT]; /* "w0 w2" */
    bool main[MOST_CPUS];                  /* the main process may run there; none = it is not told */
};

static void note_worker(char text[WORKERS_TEXT], int id)
{
    size_t n = strlen(text);
    snprintf(text + n, WORKERS_TEXT - n, "%sw%d", n ? " " : "", id);
}

/* Threads of a worker spread evenly over the CPUs it may use. */
static bool add_worker(const json_t *worker, int id, int threads, struct load *load)
{
    bool marks[MOST_CPUS];
    json_t *found = json_object_get(worker, "blas_threads");
    int n = read_list(json_string_value(json_object_get(worker, "allowed")), marks);
    if (json_is_integer(found) && json_integer_value(found) > 0)
        threads = (int)json_integer_value(found);
    for (int c = 0; c < MOST_CPUS && n; c++) {
        load->threads[c] += marks[c] ? (double)threads / n : 0;
        if (marks[c] && id >= 0)
            note_worker(load->workers[c], id);
    }
    return n > 0;
}

/* False when the record does not tell. */
static bool load_of(const struct plot_arm *a, struct load *load)
{
    const char *text = last_placement(a);
    json_t *placement = text ? json_loads(text, 0, NULL) : NULL;
    json_t *workers = json_object_get(placement, "workers"), *worker;
    bool known = false, inside = !json_array_size(workers);
    size_t i;
    if (inside)
        workers = json_object_get(placement, "inline");
    memset(load, 0, sizeof *load);
    json_array_foreach (workers, i, worker)
        known |= add_worker(worker, inside ? -1 : (int)i, a->arm->setting.threads, load);
    if (!inside)
        read_list(json_string_value(json_object_get(placement, "main")), load->main);
    json_decref(placement);
    return known;
}

static const char *missing(const struct plot_model *m)
{
    struct load *load = calloc(1, sizeof *load);
    bool any = false;
    for (size_t i = 0; load && i < m->narms && !any; i++)
        any = plot__measured(&m->arms[i]) && load_of(&m->arms[i], load);
    free(load);
    return any ? NULL : "no placement in the record";
}

/* ---- columns ---- */

/* The CPUs that are shown, from the left. */
struct columns {
    struct layout layout; /* its n is the number of columns; known = false: numbers alone */
    bool known;
    size_t left_out; /* CPUs that found no room, or that nobody used on a machine with too many */
    double pixels;   /* of one */
};

static void find_used(const struct rows *rows, struct load *load, bool used[MOST_CPUS])
{
    for (size_t i = 0; i < rows->n; i++)
        for (int c = 0; load_of(rows->arms[i], load) && c < MOST_CPUS; c++)
            used[c] |= load->threads[c] > 0;
}

/* Without a layout that has all of them: the CPUs that any arm used, ascending. */
static void number_columns(struct columns *c, const bool used[MOST_CPUS])
{
    layout_fini(&c->layout);
    c->known = false;
    c->layout.cpu = calloc(MOST_CPUS, sizeof *c->layout.cpu);
    for (int os = 0; c->layout.cpu && os < MOST_CPUS; os++)
        if (used[os])
            c->layout.cpu[c->layout.n++].os = os;
}

/* On a machine with more CPUs than columns: those that are used, and of these the first. */
static void cut_columns(struct columns *c, const bool used[MOST_CPUS])
{
    size_t all = c->layout.n, kept = 0;
    for (size_t i = 0; i < all && all > MOST_COLUMNS; i++)
        if (used[c->layout.cpu[i].os] && kept < MOST_COLUMNS)
            c->layout.cpu[kept++] = c->layout.cpu[i];
    c->layout.n = all > MOST_COLUMNS ? kept : all;
    c->left_out = all - c->layout.n;
}

static struct columns find_columns(const struct plot_model *m, const struct rows *rows, struct load *load)
{
    bool used[MOST_CPUS] = {false}, seen[MOST_CPUS] = {false};
    struct columns c = {.layout = layout_read(m)};
    find_used(rows, load, used);
    c.known = c.layout.n > 0;
    for (size_t i = 0; i < c.layout.n; i++)
        if (c.layout.cpu[i].os < MOST_CPUS)
            seen[c.layout.cpu[i].os] = true;
        else
            c.known = false;
    for (int os = 0; os < MOST_CPUS; os++)
        c.known &= seen[os] || !used[os];
    if (!c.known)
        number_columns(&c, used);
    cut_columns(&c, used);
    return c;
}

/* ---- cells ---- */

/* Up to one thread a CPU is green, the fuller the darker; beyond that it is the scale of what is bad. */
static uint32_t colour_of(double load)
{
    return load <= 1 ? plot__tint(0x009E73, 0.9 - 0.5 * load)
                     : plot__heat(0.3 + 0.7 * fmin(log2(load) / 4, 1));
}

/* The figure, and behind it which workers where there is room. */
static void add_cell(const struct load *load, int os, size_t column, size_t row, double pixels,
                     struct plot_page *page)
{
    double v = load->threads[os];
    uint32_t rgb = colour_of(v);
    char figure[WORKERS_TEXT + 32];
    int n = snprintf(figure, sizeof figure, "%.3g", v);
    if (*load->workers[os] && ((double)n + 4 + (double)strlen(load->workers[os])) * 7.6 < pixels &&
        !page->terminal)
        snprintf(figure + n, sizeof figure - (size_t)n, "  (%.*s)", WORKERS_TEXT, load->workers[os]);
    page_row(page, "%zu %zu %.6g %u %u \"%s\"", column, row, v, rgb,
             plot__luminance(rgb) > 0.3 ? 0x1f2328 : 0xffffff, figure);
}

static size_t add_cells(const struct rows *rows, struct plot_page *page, struct load *load,
                        const struct columns *c)
{
    size_t block = page_block(page, "column row threads rgb ink figure", "threads on each CPU");
    for (size_t i = 0; i < rows->n; i++)
        for (size_t k = 0; load_of(rows->arms[i], load) && k < c->layout.n; k++)
            if (load->threads[c->layout.cpu[k].os] > 0)
                add_cell(load, c->layout.cpu[k].os, k, i, c->pixels, page);
    return block;
}

/* Stretches of CPUs that the main process may use. */
static size_t add_main(const struct rows *rows, struct plot_page *page, struct load *load,
                       const struct columns *c)
{
    size_t block = page_block(page, "from to row", "CPUs that the main process may use");
    for (size_t i = 0; i < rows->n; i++) {
        bool known = load_of(rows->arms[i], load);
        for (size_t from = 0, to; known && from < c->layout.n; from = to + 1) {
            for (to = from; to < c->layout.n && load->main[c->layout.cpu[to].os];)
                to++;
            if (to > from)
                page_row(page, "%g %g %zu", (double)from - 0.42, (double)to - 0.58, i);
        }
    }
    return block;
}

/* ---- the machine above the rows ---- */

/* Levels that part the CPUs as the one above are named with it: "package, NUMA node". */
static int count_bands(const struct columns *c)
{
    int n = 0;
    for (int level = 0; level < LAYOUT_LEVELS && c->known; level++)
        n += !layout_same_parts(&c->layout, (enum layout_level)level);
    return n;
}

/* "package, NUMA node": a level and those below it that part the CPUs alike. */
static void name_band(const struct columns *c, int level, struct text *out)
{
    text_add(out, layout_words[level]);
    for (int below = level + 1;
         below < LAYOUT_LEVELS && layout_same_parts(&c->layout, (enum layout_level)below); below++)
        text_addf(out, ", %s", layout_words[below]);
}

static void add_band_name(struct plot_page *page, const struct columns *c, int level, double y)
{
    text_addf(&page->setup, "set label %d \"", 10 + level);
    name_band(c, level, &page->setup);
    text_addf(&page->setup,
              "\" at graph 0, first %.4g right offset character -0.8,0 font \",9\" textcolor rgb '" PLOT_QUIET
              "'\n",
              y);
}

static void add_band_boxes(struct plot_page *page, const struct columns *c, enum layout_level level, double y)
{
    const struct layout *l = &c->layout;
    bool odd = false;
    for (size_t from = 0, to; from < l->n; from = to, odd = !odd) {
        for (to = from + 1; !layout_begins(l, to, level);)
            to++;
        char number[16];
        int digits = snprintf(number, sizeof number, "%d", l->cpu[from].at[level]);
        bool fits = (double)(to - from) * c->pixels > 7 * digits + 3;
        page_row(page, "%g %g %.4g %u %d \"%s\"", (double)from - 0.5, (double)to - 0.5, y,
                 odd ? 0xd5dbe1U : 0xe6eaeeU, (int)level, fits ? number : "");
    }
}

/* The band that shows a level, from the top. */
static int band_of(const struct columns *c, int level)
{
    int band = -1;
    for (int i = 0; i <= level; i++)
        band += !layout_same_parts(&c->layout, (enum layout_level)i);
    return band;
}

/* Boundaries go from the band of their level through all rows: the higher the level, the thicker. */
static size_t add_borders(struct plot_page *page, const struct columns *c, double top, double bottom,
                          double pitch)
{
    size_t block = page_block(page, "x y dy level", "borders of packages, NUMA nodes, L3 caches and cores");
    for (size_t i = 1; i < c->layout.n; i++) {
        int level = 0;
        while (level < LAYOUT_LEVELS && !layout_begins(&c->layout, i, (enum layout_level)level))
            level++;
        if (level < LAYOUT_CORE || (level == LAYOUT_CORE && c->layout.n <= 2 * MOST_FIGURES))
            page_row(page, "%g %.4g %.4g %d", (double)i - 0.5, bottom,
                     top + band_of(c, level) * pitch - bottom, level);
    }
    return block;
}

static size_t add_bands(struct plot_page *page, const struct columns *c, double top, double pitch)
{
    size_t block =
        page_block(page, "from to row rgb level number", "packages, NUMA nodes, L3 caches and cores");
    double y = top + pitch / 2;
    for (int level = 0; level < LAYOUT_LEVELS && c->known; level++) {
        if (layout_same_parts(&c->layout, (enum layout_level)level))
            continue;
        add_band_boxes(page, c, (enum layout_level)level, y);
        add_band_name(page, c, level, y);
        y += pitch;
    }
    return block;
}

static void draw_machine(struct plot_page *page, const struct columns *c, size_t nrows, int bands,
                         double pitch)
{
    static const double widths[LAYOUT_LEVELS] = {3, 2.2, 1.4, 0.5};
    double top = -0.6 - bands * pitch, bottom = (double)nrows - 0.4;
    size_t boxes = add_bands(page, c, top, pitch), borders = add_borders(page, c, top, bottom, pitch);
    page_element(
        page,
        "'placement.dat' index %zu using 1:3:1:2:($3-%.4g):($3+%.4g):4 with boxxyerror linecolor rgb "
        "variable fillstyle solid noborder notitle",
        boxes, 0.44 * pitch, 0.44 * pitch);
    page_element(
        page,
        "'placement.dat' index %zu using (($1+$2)/2):3:6 with labels font \",8\" textcolor rgb '" PLOT_INK
        "' notitle",
        boxes);
    for (int level = LAYOUT_LEVELS - 1; level >= 0; level--)
        page_element(page,
                     "'placement.dat' index %zu using ($4 == %d ? $1 : NaN):2:(0):3 with vectors nohead "
                     "linewidth %g linecolor rgb '" PLOT_QUIET "' notitle",
                     borders, level, widths[level]);
}

/* ---- the page ---- */

static void set_columns(struct plot_page *page, const struct rows *rows, struct columns *c)
{
    size_t names = 14, every = c->layout.n / 33 + 1;
    for (int level = 0; level < LAYOUT_LEVELS && c->known; level++) {
        struct text name = {0};
        name_band(c, level, &name);
        names =
            name.len > names && !layout_same_parts(&c->layout, (enum layout_level)level) ? name.len : names;
        text_fini(&name);
    }
    for (size_t i = 0; i < rows->n; i++) {
        size_t wide = plot__columns(rows->arms[i]->label);
        names = wide > names ? wide : names;
    }
    double left = 7.4 * (double)(names < 36 ? names : 36) + 26, least = COLUMN_LEAST * (double)c->layout.n;
    page->width = (int)fmax(page->width, left + least + FRAME_RIGHT);
    c->pixels = (page->width - left - FRAME_RIGHT) / (double)c->layout.n;
    if (!page->terminal)
        text_addf(&page->setup, "set lmargin at screen %.4f\nset rmargin at screen %.4f\n",
                  left / page->width, 1 - FRAME_RIGHT / (double)page->width);
    text_addf(&page->setup,
              "set xrange [-0.5:%g]\nunset grid\nset xlabel \"CPU, as the operating system numbers them\" "
              "textcolor rgb '" PLOT_INK "'\nset xtics (",
              (double)c->layout.n - 0.5);
    for (size_t k = 0; k < c->layout.n; k += every)
        text_addf(&page->setup, "%s\"%d\" %zu", k ? ", " : "", c->layout.cpu[k].os, k);
    text_add(&page->setup, ") scale 0\n");
}

static void set_bands(struct plot_page *page, size_t nrows, int bands, double *pitch)
{
    double row_px = (page->height - 215) / (double)(nrows < 3 ? 3 : nrows);
    *pitch = BAND_PX / row_px;
    page->height += BAND_PX * bands;
    text_addf(&page->setup, "set tmargin 4.8\nset yrange [%g:%.4g]\n", (double)nrows - 0.4,
              -0.6 - bands * *pitch);
}

static void write_caption(struct plot_page *page, const struct columns *c, bool main_told)
{
    text_add(&page->caption, c->layout.n > MOST_FIGURES && !page->terminal
                                 ? "; green: at most one thread on a CPU, darker: more"
                                 : "; figures: threads on a CPU");
    text_add(&page->caption, ", a worker's spread over its CPUs");
    if (main_told)
        text_add(&page->caption, "; line: main process");
    if (!c->known)
        text_add(&page->caption, "; neighbours are not in the record");
    if (c->left_out)
        text_addf(&page->caption, "; %zu CPUs are left out", c->left_out);
}

static void draw_cells(struct plot_page *page, size_t cells, size_t main, size_t columns)
{
    if (!page->terminal)
        page_element(page,
                     "'placement.dat' index %zu using 1:2:(0.47):(0.44):4 with boxxyerror linecolor rgb "
                     "variable fillstyle solid noborder notitle",
                     cells);
    if (columns <= MOST_FIGURES)
        page_element(page,
                     "'placement.dat' index %zu using 1:2:6:5 with labels textcolor rgb variable font \",9\" "
                     "notitle",
                     cells);
    if (!page->terminal)
        page_element(page,
                     "'placement.dat' index %zu using 1:($3+0.475):($2-$1):(0) with vectors nohead linewidth "
                     "2 linecolor rgb '" PLOT_INK "' notitle",
                     main);
}

static void draw_map(struct plot_page *page, const struct rows *rows, struct load *load, struct columns *c)
{
    double pitch = 0;
    set_columns(page, rows, c);
    int bands = page->terminal ? 0 : count_bands(c);
    if (!page->terminal)
        set_bands(page, rows->n, bands, &pitch);
    size_t cells = add_cells(rows, page, load, c), main = add_main(rows, page, load, c);
    bool main_told = page->block_rows > 0;
    if (bands)
        draw_machine(page, c, rows->n, bands, pitch);
    draw_cells(page, cells, main, c->layout.n);
    write_caption(page, c, main_told);
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = rows_init(m, page);
    struct load *load = calloc(1, sizeof *load);
    struct columns c = {0};
    page->setup.failed |= !load;
    if (load)
        c = find_columns(m, &rows, load);
    if (c.layout.n)
        draw_map(page, &rows, load, &c);
    layout_fini(&c.layout);
    free(load);
    rows_fini(&rows);
}

const struct plot plot_placement = {
    .name = "placement",
    .title = "Threads on each CPU",
    .question = "Where were the workers put, and which CPUs are shared?",
    .alt =
        "A map: CPUs to the right under the packages, NUMA nodes, caches and cores they belong to, a row for "
        "each setting; each cell shows how many threads share the CPU, as read back from the last "
        "invocation.",
    .missing = missing,
    .draw = draw,
};
