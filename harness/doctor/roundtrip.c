/* How long a cache line takes from one CPU to another and back: what each hand-off between a worker and the consumer
 * costs at least. Both sides spin on one line; the least of several batches is the figure, since a side that is
 * descheduled can only add to it. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "team.h"

extern const struct doctor_check doctor_check_roundtrip;

enum { TRIPS = 500, BATCHES = 8, CPUS_MAX = 16, LINE = 64 };

struct line {
    _Alignas(LINE) atomic_int turn;
    _Alignas(LINE) double least_ns;
    uint64_t deadline_ns; /* with other programs about, a trip can take a whole time slice */
    atomic_int over;
};

static bool wait_for(struct line *l, int value)
{
    for (long spins = 0; atomic_load_explicit(&l->turn, memory_order_acquire) != value; spins++)
        if (spins % 4096 == 4095 && (atomic_load(&l->over) || clock_now_ns() > l->deadline_ns))
            return false;
    return true;
}

static bool batch(struct line *l, int index)
{
    for (int i = 0; i < TRIPS; i++) {
        if (!wait_for(l, index))
            return false;
        atomic_store_explicit(&l->turn, !index, memory_order_release);
    }
    return true;
}

static void play(void *arg, int index)
{
    struct line *l = arg;
    for (int b = 0; b < BATCHES; b++) {
        uint64_t from = clock_now_ns();
        if (!batch(l, index)) {
            atomic_store(&l->over, 1);
            return;
        }
        double ns = (double)(clock_now_ns() - from) / TRIPS;
        if (!index && b)
            l->least_ns = fmin(l->least_ns, ns);
    }
}

/* NaN: it could not be measured. */
static double round_trip_ns(const struct doctor *d, int a, int b)
{
    struct line *l = aligned_alloc(LINE, sizeof *l);
    double ns[2];
    int order[2] = {a, b};
    if (!l)
        return NAN;
    *l = (struct line){.least_ns = INFINITY, .deadline_ns = clock_now_ns() + 100000000};
    bool good = team_run(d, order, 2, play, l, ns);
    double least = l->least_ns;
    free(l);
    return good && isfinite(least) ? least : NAN;
}

static void add_picture(struct doctor *d, const double ns[CPUS_MAX][CPUS_MAX], int n)
{
    struct text t = {0};
    text_add(&t, "round trip of a cache line, ns:\nCPU ");
    for (int j = 0; j < n; j++)
        text_addf(&t, "%5d", d->topology.cpu[j].os);
    for (int i = 0; i < n; i++) {
        text_addf(&t, "\n%4d", d->topology.cpu[i].os);
        for (int j = 0; j < n; j++)
            text_addf(&t, i == j ? "    -" : "%5.0f", ns[i][j]);
    }
    doctor_find(d, DOCTOR_NOTE, NULL, "%s", text_get(&t));
    text_fini(&t);
}

static void look(struct doctor *d)
{
    int n = d->topology.ncpus < CPUS_MAX ? d->topology.ncpus : CPUS_MAX;
    double ns[CPUS_MAX][CPUS_MAX], low = INFINITY, high = 0;
    if (n < 2)
        return;
    json_t *matrix = json_array();
    for (int i = 0; i < n; i++) {
        json_t *row = json_array();
        for (int j = 0; j < n; j++) {
            ns[i][j] = j < i ? ns[j][i] : j > i ? round_trip_ns(d, i, j) : NAN;
            json_array_append_new(row, isfinite(ns[i][j]) ? json_real(ns[i][j]) : json_null());
            low = fmin(low, ns[i][j]);
            high = fmax(high, ns[i][j]);
        }
        json_array_append_new(matrix, row);
    }
    doctor_figure(d, "round_trip_ns", matrix);
    if (!isfinite(low)) {
        doctor_find(d, DOCTOR_NOTE, NULL,
                    "cache lines: other programs left no two CPUs free to measure a round trip");
        return;
    }
    if (high > 1.05 * low)
        doctor_find(d, high > 3 * low ? DOCTOR_NOTE : DOCTOR_FINE,
                    high > 3 * low
                        ? "keep workers near the consumer for small batches: --affinity l3 or compact"
                        : NULL,
                    "cache lines: %.0f to %.0f ns from one CPU to another and back", low, high);
    else
        doctor_find(d, DOCTOR_FINE, NULL, "cache lines: %.0f ns from one CPU to another and back", low);
    if (n > 2)
        add_picture(d, (const double(*)[CPUS_MAX])ns, n);
}

const struct doctor_check doctor_check_roundtrip = {
    .name = "roundtrip",
    .summary = "a cache line from one CPU to another and back",
    .look = look,
};
