/* The plan as a picture in text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement.h"

enum { WIDTH = 96, INDENT = 6, CELL = 12 };

/* A picture under way: pieces are cores; equal ones in a row are drawn once, with their number. */
struct drawing {
    struct text *out;
    const struct harness_topology *t;
    const struct harness_placement *p;
    size_t line_from; /* where the line in hand begins in out */
    char *piece;      /* the core that waits to be drawn; NULL = none */
    int repeats;
};

static bool main_is_on(const struct harness_placement *p, int position)
{
    return hwloc_bitmap_isset(p->main, (unsigned)position) && (p->reserved || !p->workers);
}

/* Who is on a position: "0", "0,4", "0-7", "12 workers", "m", ".". */
static void add_cell(struct text *out, const struct harness_placement *p, int position)
{
    hwloc_bitmap_t here = hwloc_bitmap_alloc();
    char *list = NULL;
    int n = 0;
    for (int w = 0; here && w < p->workers; w++)
        if (hwloc_bitmap_isset(p->worker[w], (unsigned)position)) {
            hwloc_bitmap_set(here, (unsigned)w);
            n++;
        }
    if (here && hwloc_bitmap_list_asprintf(&list, here) < 0)
        list = NULL;
    hwloc_bitmap_free(here);
    out->failed |= !list;
    if (!n)
        text_add(out, main_is_on(p, position) ? "m" : ".");
    else if (list && strlen(list) <= CELL)
        text_add(out, list);
    else
        text_addf(out, "%d workers", n);
    free(list);
}

static char *core_piece(const struct drawing *d, int first)
{
    struct text piece = {0};
    bool empty = true;
    text_add(&piece, "[");
    for (int i = first; i < d->t->ncpus && d->t->cpu[i].core == d->t->cpu[first].core; i++) {
        size_t before = piece.len + (i > first);
        text_add(&piece, i > first ? " " : "");
        add_cell(&piece, d->p, i);
        empty = empty && !piece.failed && !strcmp(text_get(&piece) + before, ".");
    }
    text_add(&piece, "]");
    if (empty) {
        text_fini(&piece);
        return strdup("empty");
    }
    return text_take(&piece);
}

static void put(struct drawing *d, const char *piece)
{
    if (d->out->len - d->line_from + strlen(piece) + 1 > WIDTH) {
        text_addf(d->out, "\n%*s", INDENT, "");
        d->line_from = d->out->len - INDENT;
    }
    text_addf(d->out, " %s", piece);
}

static void flush(struct drawing *d)
{
    char many[CELL * 32];
    if (!d->piece)
        return;
    bool empty = !strcmp(d->piece, "empty");
    if (empty)
        snprintf(many, sizeof many, d->repeats > 1 ? "(%d empty cores)" : "[.]", d->repeats);
    else if (d->repeats > 2)
        snprintf(many, sizeof many, "%d x %s", d->repeats, d->piece);
    if (empty || d->repeats > 2)
        put(d, many);
    for (int i = 0; !empty && d->repeats <= 2 && i < d->repeats; i++)
        put(d, d->piece);
    free(d->piece);
    d->piece = NULL;
}

static void add_core(struct drawing *d, int first)
{
    char *piece = core_piece(d, first);
    d->out->failed |= !piece;
    if (piece && d->piece && !strcmp(piece, d->piece)) {
        d->repeats++;
        free(piece);
        return;
    }
    flush(d);
    d->piece = piece;
    d->repeats = 1;
}

static bool same_line(const struct harness_cpu *a, const struct harness_cpu *b)
{
    return a->package == b->package && a->numa == b->numa && a->l3 == b->l3;
}

static void add_lines(struct drawing *d)
{
    const struct harness_cpu *cpu = d->t->cpu;
    for (int i = 0; i < d->t->ncpus; i++) {
        bool new_line = !i || !same_line(&cpu[i], &cpu[i - 1]);
        if (new_line) {
            if (i)
                flush(d);
            text_add(d->out, i ? "\n" : "");
            d->line_from = d->out->len;
            text_addf(d->out, "  package %d, NUMA %d, L3 %d:", cpu[i].package, cpu[i].numa, cpu[i].l3);
        }
        if (new_line || cpu[i].core != cpu[i - 1].core)
            add_core(d, i);
    }
    flush(d);
    text_add(d->out, "\n");
}

static void add_words(struct text *out, const struct harness_topology *t, const struct harness_placement *p)
{
    if (!p->bound)
        text_addf(out, "  not bound: the scheduler places everyone on %d CPUs\n", t->ncpus);
    else if (p->workers && p->reserved)
        text_add(out, "  consumer: a CPU of its own (m)\n");
    else if (p->workers)
        text_addf(out, "  consumer: any of %d CPUs\n", hwloc_bitmap_weight(p->main));
    long asked = p->workers ? (long)p->workers * p->threads : p->threads;
    if (p->busiest > 1)
        text_addf(out, "  oversubscribed: %ld threads on %d CPUs, up to %d on one\n", asked, p->cpus,
                  p->busiest);
    if (p->bind_memory)
        text_add(out, "  memory: of the node each worker runs on\n");
}

void harness_placement_draw(const struct harness_topology *t, const struct harness_placement *p,
                            struct text *out)
{
    struct drawing d = {.out = out, .t = t, .p = p};
    if (p->bound)
        add_lines(&d);
    add_words(out, t, p);
}
