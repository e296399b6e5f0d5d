/* Memory bandwidth of 1, 2, ... all CPUs: copies between arrays that no cache holds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/check.h"
#include "team.h"

extern const struct doctor_check doctor_check_bandwidth;

enum { ROUNDS = 5, BYTES = 48 << 20 };

struct arrays {
    char **from, **to; /* [members] */
    size_t bytes;
};

static void copy(void *arg, int index)
{
    struct arrays *a = arg;
    memcpy(a->to[index], a->from[index], a->bytes);
    volatile char sink = a->to[index][a->bytes / 2];
    (void)sink;
}

/* Touched by the thread that will use it, so that its pages lie on its node. */
static void touch(void *arg, int index)
{
    struct arrays *a = arg;
    memset(a->from[index], 1, a->bytes);
    memset(a->to[index], 2, a->bytes);
}

static void free_arrays(struct arrays *a, int n)
{
    for (int i = 0; i < n; i++) {
        if (a->from)
            free(a->from[i]);
        if (a->to)
            free(a->to[i]);
    }
    free(a->from);
    free(a->to);
}

static bool make_arrays(struct arrays *a, int n)
{
    double each = harness_available_bytes() / 8 / n;
    a->bytes = each < BYTES ? (size_t)fmax(each, 1 << 20) : BYTES;
    a->from = calloc((size_t)n, sizeof *a->from);
    a->to = calloc((size_t)n, sizeof *a->to);
    for (int i = 0; a->from && a->to && i < n; i++) {
        a->from[i] = malloc(a->bytes);
        a->to[i] = malloc(a->bytes);
        if (!a->from[i] || !a->to[i])
            return false;
    }
    return a->from && a->to;
}

/* Bytes read and written a second, median of rounds. */
static bool measure(const struct doctor *d, struct arrays *a, const int *counts, int ncounts, double *per_s)
{
    int n = d->topology.ncpus;
    int *order = calloc((size_t)n, sizeof *order);
    double *ns = calloc((size_t)n, sizeof *ns), round[32][ROUNDS];
    bool good = order && ns;
    for (int i = 0; good && i < n; i++)
        order[i] = i;
    good = good && team_run(d, order, n, touch, a, ns);
    for (int r = 0; good && r < ROUNDS; r++)
        for (int k = 0; good && k < ncounts; k++) {
            good = team_run(d, order, counts[k], copy, a, ns);
            round[k][r] = 0;
            for (int i = 0; i < counts[k]; i++)
                round[k][r] += 2 * (double)a->bytes / (ns[i] / 1e9);
        }
    for (int k = 0; good && k < ncounts; k++)
        per_s[k] = doctor_median(round[k], ROUNDS);
    free(order);
    free(ns);
    return good;
}

static void look(struct doctor *d)
{
    int counts[32], ncounts = doctor_counts(d, counts), n = d->topology.ncpus;
    struct arrays a = {0};
    double per_s[32];
    bool good = make_arrays(&a, n) && measure(d, &a, counts, ncounts, per_s);
    free_arrays(&a, n);
    if (!good) {
        doctor_find(d, DOCTOR_NOTE, NULL, "memory bandwidth: not enough memory or threads to measure it");
        return;
    }
    json_t *list = json_array();
    for (int k = 0; k < ncounts; k++)
        json_array_append_new(list, json_pack("{s:i, s:f}", "cpus", counts[k], "bytes_per_s", per_s[k]));
    doctor_figure(d, "copy", list);
    double all = per_s[ncounts - 1], one = per_s[0];
    bool shared = n > 1 && all < 0.6 * n * one;
    doctor_find(
        d, shared ? DOCTOR_NOTE : DOCTOR_FINE,
        shared ? "transforms that only move bytes gain little from more workers; smaller types and fused "
                 "transforms help"
               : NULL,
        "memory: one CPU copies %.1f GB/s (read and written), all %d together %.1f GB/s", one / 1e9, n,
        all / 1e9);
}

const struct doctor_check doctor_check_bandwidth = {
    .name = "bandwidth",
    .summary = "memory bandwidth of 1, 2, ... all CPUs",
    .look = look,
};
