/* Where the workers were put: threads on each CPU, as read back in the last invocation that counts. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MOST_CPUS = 1024 };

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

/* Threads of a worker spread evenly over the CPUs it may use. */
static bool add_worker(const json_t *worker, int threads, double load[MOST_CPUS])
{
    bool marks[MOST_CPUS];
    json_t *found = json_object_get(worker, "blas_threads");
    int n = read_list(json_string_value(json_object_get(worker, "allowed")), marks);
    if (json_is_integer(found) && json_integer_value(found) > 0)
        threads = (int)json_integer_value(found);
    for (int c = 0; c < MOST_CPUS && n; c++)
        load[c] += marks[c] ? (double)threads / n : 0;
    return n > 0;
}

/* Threads on each CPU; false when the record does not tell. */
static bool load_of(const struct plot_arm *a, double load[MOST_CPUS])
{
    const char *text = last_placement(a);
    json_t *placement = text ? json_loads(text, 0, NULL) : NULL;
    json_t *workers = json_object_get(placement, "workers"), *worker;
    bool known = false;
    size_t i;
    if (!json_array_size(workers))
        workers = json_object_get(placement, "inline");
    memset(load, 0, MOST_CPUS * sizeof *load);
    json_array_foreach(workers, i, worker) known |= add_worker(worker, a->arm->setting.threads, load);
    json_decref(placement);
    return known;
}

static const char *missing(const struct plot_model *m)
{
    double *load = calloc(MOST_CPUS, sizeof *load);
    bool any = false;
    for (size_t i = 0; load && i < m->narms && !any; i++)
        any = plot__measured(&m->arms[i]) && load_of(&m->arms[i], load);
    free(load);
    return any ? NULL : "no placement in the record";
}

/* CPUs that any arm used, ascending. */
static size_t find_cpus(const struct rows *rows, double *load, int cpus[MOST_CPUS])
{
    bool used[MOST_CPUS] = {false};
    size_t n = 0;
    for (size_t i = 0; i < rows->n; i++)
        for (int c = 0; load_of(rows->arms[i], load) && c < MOST_CPUS; c++)
            used[c] |= load[c] > 0;
    for (int c = 0; c < MOST_CPUS; c++)
        if (used[c])
            cpus[n++] = c;
    return n;
}

/* Up to one thread a CPU is green, the fuller the darker; beyond that it is the scale of what is bad. */
static uint32_t colour_of(double load)
{
    return load <= 1 ? plot__tint(0x009E73, 0.9 - 0.5 * load)
                     : plot__heat(0.3 + 0.7 * fmin(log2(load) / 4, 1));
}

static void add_cells(const struct rows *rows, struct plot_page *page, double *load, const int *cpus,
                      size_t ncpus)
{
    page_block(page, "column row threads rgb ink figure", "threads on each CPU");
    for (size_t i = 0; i < rows->n; i++) {
        if (!load_of(rows->arms[i], load))
            continue;
        for (size_t c = 0; c < ncpus; c++) {
            double v = load[cpus[c]];
            uint32_t rgb = colour_of(v);
            if (v > 0)
                page_row(page, "%zu %zu %.6g %u %u \"%.3g\"", c, i, v, rgb,
                         plot__luminance(rgb) > 0.3 ? 0x1f2328 : 0xffffff, v);
        }
    }
}

static void set_cpus(struct plot_page *page, const int *cpus, size_t n)
{
    size_t every = n / 33 + 1;
    text_addf(&page->setup,
              "set xrange [-0.5:%g]\nunset grid\nset xlabel \"CPU, as the operating system numbers them\" "
              "textcolor rgb '" PLOT_INK "'\nset xtics (",
              (double)n - 0.5);
    for (size_t c = 0; c < n; c += every)
        text_addf(&page->setup, "%s\"%d\" %zu", c ? ", " : "", cpus[c], c);
    text_add(&page->setup, ") scale 0\n");
}

static void draw(const struct plot_model *m, struct plot_page *page)
{
    struct rows rows = rows_init(m, page);
    double *load = calloc(MOST_CPUS, sizeof *load);
    int *cpus = calloc(MOST_CPUS, sizeof *cpus);
    size_t n = load && cpus ? find_cpus(&rows, load, cpus) : 0;
    page->setup.failed |= !load || !cpus;
    if (n) {
        set_cpus(page, cpus, n);
        add_cells(&rows, page, load, cpus, n);
        if (!page->terminal)
            page_element(
                page,
                "'placement.dat' index 0 using 1:2:(0.47):(0.44):4 with boxxyerror linecolor rgb variable "
                "fillstyle solid noborder notitle");
        if (n <= 32)
            page_element(page, "'placement.dat' index 0 using 1:2:6:5 with labels textcolor rgb variable "
                               "font \",9\" notitle");
        text_add(&page->caption,
                 "; figures: threads on a CPU, those of a worker spread over the CPUs it may use; above 1 "
                 "they share it");
    }
    free(load);
    free(cpus);
    rows_fini(&rows);
}

const struct plot plot_placement = {
    .name = "placement",
    .title = "Threads on each CPU",
    .question = "Where were the workers put, and which CPUs are shared?",
    .alt = "A map: CPUs to the right, a row for each setting; each cell shows how many threads share the "
           "CPU, as read "
           "back from the last invocation.",
    .missing = missing,
    .draw = draw,
};
