/* A stretch of single trials: what each worker made when, and what the consumer did meanwhile. A few settings below each
 * other on one scale of time, so that they can be compared by eye. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "page.h"
#include "quote.h"

enum { MOST_STRIPS = 4, MOST_LANES = 16, MOST_IN_LANE = 48, FRAME_LEFT = 104, FRAME_RIGHT = 26 };

/* The batches of one arm: a row for its name, one for the consumer, one for each worker shown. */
struct strip {
    const struct plot_arm *arm;
    const struct batch_times *b;
    size_t n;
    int lanes; /* workers that are shown */
    int row;   /* of the name */
};

struct strips {
    struct strip s[MOST_STRIPS];
    size_t n;
    double end_ns;
    int rows;
};

static const struct trial *trial_of(const struct plot_arm *a)
{
    const struct result *r = a->summary->result;
    for (size_t i = 0; i < r->ninvocations; i++)
        for (size_t t = 0; !r->invocations[i].void_reason && t < r->invocations[i].ntrials; t++)
            if (r->invocations[i].trials[t].arm == a->index && r->invocations[i].trials[t].ntimeline)
                return &r->invocations[i].trials[t];
    return NULL;
}

static const char *missing(const struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++)
        if (plot__measured(&m->arms[i]) && trial_of(&m->arms[i]))
            return NULL;
    return "no timeline in the record";
}

/* ---- which settings, and how much of them ---- */

static void add_strip(struct strips *all, const struct plot_arm *a)
{
    const struct trial *t = a && plot__measured(a) ? trial_of(a) : NULL;
    for (size_t i = 0; i < all->n; i++)
        if (all->s[i].arm == a)
            return;
    if (!t || all->n == MOST_STRIPS)
        return;
    int workers = a->arm->setting.workers;
    all->s[all->n++] = (struct strip){
        .arm = a, .b = t->timeline, .n = t->ntimeline, .lanes = workers < MOST_LANES ? workers : MOST_LANES};
}

static bool before(const struct plot_arm *a, const struct plot_arm *b, int by)
{
    const struct setting *x = &a->arm->setting, *y = &b->arm->setting;
    switch (by) {
    case 0:
        return a->sum->cost_ns.value < b->sum->cost_ns.value;
    case 1:
        return x->workers * x->threads > y->workers * y->threads;
    default:
        return x->workers < y->workers;
    }
}

/* The recommended setting of each result, the lowest cost, the most threads, the fewest workers. */
static void choose(const struct plot_model *m, struct strips *all)
{
    for (size_t i = 0; i < m->narms; i++)
        if (m->arms[i].chosen)
            add_strip(all, &m->arms[i]);
    for (int by = 0; by < 3; by++) {
        const struct plot_arm *first = NULL;
        for (size_t i = 0; i < m->narms; i++)
            if (plot__measured(&m->arms[i]) && trial_of(&m->arms[i]) &&
                (!first || before(&m->arms[i], first, by)))
                first = &m->arms[i];
        add_strip(all, first);
    }
}

/* Until the first of them ends, or has more batches in a lane than can be told apart. */
static double end_of(const struct strip *s)
{
    size_t in_lane = 0;
    for (size_t i = 0; i < s->n; i++) {
        in_lane += s->b[i].worker <= 0;
        if (in_lane == MOST_IN_LANE)
            return s->b[i].received_ns;
    }
    return s->b[s->n - 1].received_ns;
}

static void lay_out(struct strips *all)
{
    all->end_ns = INFINITY;
    for (size_t i = 0; i < all->n; i++) {
        all->s[i].row = all->rows;
        all->rows += all->s[i].lanes + 2;
        all->end_ns = fmin(all->end_ns, end_of(&all->s[i]));
    }
    all->end_ns = fmax(all->end_ns, 1); /* an axis needs a range, whatever the file says */
}

/* ---- data ---- */

static int row_of(const struct strip *s, int worker)
{
    return s->row + 2 + worker; /* the main process makes its batches in the consumer's row */
}

struct canvas {
    const struct plot_model *m;
    struct plot_page *page;
    const struct strips *all;
    double scale; /* ns in a unit of the axis */
    double ns_per_pixel;
};

/* Clipped to what is shown; false when nothing of it is. */
static bool clip(const struct canvas *c, double *from, double *to)
{
    *from = fmax(*from, 0);
    *to = fmin(*to, c->all->end_ns);
    return *to > *from;
}

static void add_batch(const struct canvas *c, const struct strip *s, size_t i, bool odd)
{
    const struct batch_times *b = &s->b[i];
    double from = b->started_ns, to = b->finished_ns;
    if (b->worker >= s->lanes || !clip(c, &from, &to))
        return;
    uint32_t rgb = plot__tint(c->m->lines[s->arm->line].look.rgb, odd ? 0.25 : 0.55);
    char number[24];
    int columns = snprintf(number, sizeof number, "%lld", (long long)(b->number - s->b[0].number));
    bool fits = (to - from) / c->ns_per_pixel > 6.5 * columns + 2;
    page_row(c->page, "%.9g %.9g %d %d %u %u \"%s\"", from / c->scale, to / c->scale, row_of(s, b->worker),
             b->worker, rgb, plot__luminance(rgb) > 0.3 ? 0x1f2328 : 0xffffff, fits ? number : "");
}

static size_t add_batches(const struct canvas *c)
{
    size_t block = page_block(c->page, "from to row worker rgb ink number", "batches while they are made");
    for (size_t k = 0; k < c->all->n; k++) {
        bool odd[MOST_LANES + 1] = {false};
        const struct strip *s = &c->all->s[k];
        for (size_t i = 0; i < s->n; i++) {
            int lane = s->b[i].worker + 1;
            if (lane <= MOST_LANES) {
                add_batch(c, s, i, odd[lane]);
                odd[lane] = !odd[lane];
            }
        }
    }
    return block;
}

static size_t add_queued(const struct canvas *c)
{
    size_t block = page_block(c->page, "from to row", "batches that are finished and not taken");
    for (size_t k = 0; k < c->all->n; k++)
        for (size_t i = 0; i < c->all->s[k].n; i++) {
            const struct batch_times *b = &c->all->s[k].b[i];
            double from = b->finished_ns, to = b->received_ns;
            if (b->worker >= 0 && b->worker < c->all->s[k].lanes && clip(c, &from, &to))
                page_row(c->page, "%.9g %.9g %d", from / c->scale, to / c->scale,
                         row_of(&c->all->s[k], b->worker));
        }
    return block;
}

/* When a later batch than i was first finished; INFINITY when none was. */
static double later_finished(const struct strip *s, size_t i)
{
    double first = INFINITY;
    for (size_t j = 0; j < s->n; j++)
        if (s->b[j].number > s->b[i].number)
            first = fmin(first, s->b[j].finished_ns);
    return first;
}

enum part { PART_WORK, PART_COMPUTE, PART_HEAD_OF_LINE, PART_HANDOFF, PARTS };

static const struct {
    const char *words;
    enum result_wait cause; /* RESULT_WAIT_CAUSES = none */
} parts[PARTS] = {
    {"consumer works", RESULT_WAIT_CAUSES},
    {"waits: batch is being made", RESULT_WAIT_COMPUTE},
    {"waits: head of line", RESULT_WAIT_HEAD_OF_LINE},
    {"waits: hand-off", RESULT_WAIT_HANDOFF},
};

static uint32_t part_rgb(enum part part)
{
    return parts[part].cause < RESULT_WAIT_CAUSES ? plot__wait_rgb[parts[part].cause] : 0x8a929b;
}

/* From the batch before (or the beginning) to this one: work, then the wait by cause. Where a wait has several causes
 * they follow each other: nothing is ready, a later batch is ready, this one is. */
static void part_of(const struct strip *s, size_t i, enum part part, double *from, double *to)
{
    const struct batch_times *b = &s->b[i];
    double ask = b->received_ns - b->wait_ns, stall, done;
    done = fmin(fmax(b->finished_ns, ask), b->received_ns);
    stall = fmin(fmax(later_finished(s, i), ask), done);
    const double edge[PARTS + 1] = {i ? s->b[i - 1].received_ns : 0, ask, stall, done, b->received_ns};
    *from = edge[part];
    *to = edge[part + 1];
}

static size_t add_part(const struct canvas *c, enum part part)
{
    size_t block = page_block(c->page, "from to row", parts[part].words);
    for (size_t k = 0; k < c->all->n; k++)
        for (size_t i = 0; i < c->all->s[k].n; i++) {
            double from, to;
            const struct strip *s = &c->all->s[k];
            part_of(s, i, part, &from, &to);
            if ((part == PART_WORK || s->lanes) && clip(c, &from, &to))
                page_row(c->page, "%.9g %.9g %d", from / c->scale, to / c->scale, s->row + 1);
        }
    return block;
}

/* ---- what is drawn ---- */

static void add_name(struct plot_page *page, const struct strip *s, size_t k)
{
    struct text name = {0};
    plot__cut(&name, s->arm->label, 60);
    if (s->arm->chosen)
        text_addf(&name, " (%s)", plot__chosen_word(s->arm));
    if (s->arm->arm->setting.workers > s->lanes)
        text_addf(&name, "; workers %d to %d are left out", s->lanes, s->arm->arm->setting.workers - 1);
    text_addf(&page->setup, "set label %zu ", k + 10);
    plot__quote(&page->setup, text_get(&name), 120);
    text_addf(&page->setup, " at graph 0, first %g left front%s\n", s->row + 0.12,
              page->terminal ? "" : " font \",10\" textcolor rgb '" PLOT_INK "'");
    page->setup.failed |= name.failed;
    text_fini(&name);
}

static void set_rows(struct plot_page *page, const struct strips *all)
{
    const char *comma = "";
    text_addf(&page->setup, "set yrange [%g:-0.6]\nunset grid\nset ytics (", all->rows - 0.45);
    for (size_t k = 0; k < all->n; k++) {
        const struct strip *s = &all->s[k];
        text_addf(&page->setup, "%s\"%s\" %d", comma, s->lanes ? "consumer" : "main process", s->row + 1);
        comma = ", ";
        for (int w = 0; w < s->lanes; w++)
            text_addf(&page->setup, ", \"worker %d\" %d", w, row_of(s, w));
    }
    text_addf(&page->setup, ")%s\n",
              page->terminal ? "" : " font \",9\" textcolor rgb '" PLOT_INK "' scale 0");
    for (size_t k = 0; k < all->n; k++)
        add_name(page, &all->s[k], k);
    page->rows = all->rows + 8;
    page->height = 240 + (all->rows > 30 ? 15 : 22) * all->rows;
}

static void set_time(struct plot_page *page, const struct canvas *c, const char *unit)
{
    struct page_range range = {.low = 0, .high = c->all->end_ns / c->scale};
    text_addf(&page->setup, "set xrange [0:%.9g]\n", range.high);
    page_axis_label(page, 'x', "time since the stretch began", unit, &range);
    if (page->terminal)
        return;
    text_addf(&page->setup,
              "set lmargin at screen %.4f\nset rmargin at screen %.4f\n"
              "set key horizontal maxcols 3 width 1 at graph 0, graph 1 left bottom\n",
              FRAME_LEFT / (double)page->width, 1 - FRAME_RIGHT / (double)page->width);
}

static void draw_boxes(struct plot_page *page, size_t block, double half, unsigned rgb, const char *words)
{
    if (page->terminal)
        page_element(page, "'timeline.dat' index %zu using 1:3:($2-$1):(0) with vectors nohead", block);
    else
        page_element(page,
                     "'timeline.dat' index %zu using 1:3:1:2:($3-%g):($3+%g) with boxxyerror linecolor rgb "
                     "'#%06x' fillstyle solid noborder",
                     block, half, half, rgb);
    page_key(page, words);
}

static void draw_batches(struct plot_page *page, size_t batches, size_t queued)
{
    if (page->terminal) {
        draw_boxes(page, batches, 0, 0, "a batch is made");
        return;
    }
    page_element(page,
                 "'timeline.dat' index %zu using 1:3:1:2:($3-0.36):($3+0.30):5 with boxxyerror linecolor rgb "
                 "variable fillstyle solid noborder notitle",
                 batches);
    page_element(page,
                 "'timeline.dat' index %zu using (($1+$2)/2):3:7:6 with labels font \",8\" textcolor rgb "
                 "variable notitle",
                 batches);
    page_element(page,
                 "'timeline.dat' index %zu using 1:($3+0.40):($2-$1):(0) with vectors nohead linewidth 1.4 "
                 "linecolor rgb '" PLOT_INK "'",
                 queued);
    page_key(page, "finished, not taken yet");
}

static void write_caption(struct plot_page *page)
{
    text_fini(&page->caption);
    text_add(&page->caption, "one trial of each, counted in no figure");
    if (!page->terminal)
        text_add(&page->caption,
                 "; bars: batches being made, numbered in sampler order; head of line: a later "
                 "batch is ready");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct strips all = {0};
    choose(m, &all);
    lay_out(&all);
    struct page_unit unit = page_unit_ns(all.end_ns);
    struct canvas c = {m, page, &all, unit.scale, all.end_ns / (page->width - FRAME_LEFT - FRAME_RIGHT)};
    set_rows(page, &all);
    set_time(page, &c, unit.name);
    write_caption(page);
    size_t batches = add_batches(&c), queued = add_queued(&c);
    draw_batches(page, batches, queued);
    for (enum part p = PART_WORK; p < PARTS; p++) {
        size_t block = add_part(&c, p);
        if (!page->terminal || p == PART_HEAD_OF_LINE)
            draw_boxes(page, block, 0.36, part_rgb(p), parts[p].words);
    }
}

const struct plot plot_timeline = {
    .name = "timeline",
    .title = "A stretch of single trials",
    .question = "What does each worker do when, and what does the consumer wait for?",
    .alt = "For a few settings, a lane for the consumer and one for each worker over time: bars are batches "
           "while they are made, a thin line is a finished batch that waits, colours tell what the consumer "
           "waits for.",
    .missing = missing,
    .draw = draw,
};
