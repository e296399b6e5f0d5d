/* How long the BLAS's pool of threads spins after a product, and what that costs: workers are started beside it. */
#include <math.h>

#include "doctor.h"
#include "harness/probe.h"

extern const struct doctor_check doctor_check_pool;

static void look(struct doctor *d)
{
    struct probe p;
    struct err why = {0};
    struct probe_request all = {.threads = d->budget.cpus > 1 ? d->budget.cpus : 2};
    if (!d->cfg->program || harness_probe(d->cfg->program, &all, &p, &why)) {
        doctor_find(d, DOCTOR_NOTE, NULL, "the BLAS's pool of threads could not be watched: %s",
                    why.code ? why.text : "no program to start");
        return;
    }
    doctor_figure(d, "threading", json_string(p.threading));
    doctor_figure(d, "threads", json_integer(all.threads));
    doctor_figure(d, "gflop_per_s", json_real(p.gflop_per_s));
    doctor_figure(d, "spin_ns", json_real(p.spin_ns));
    doctor_figure(d, "spin_cpu_ns", json_real(p.spin_cpu_ns));
    bool spins = p.spin_ns > 5e6;
    const char *advice = p.threading[0] == 'o' ? "OMP_WAIT_POLICY=passive (or GOMP_SPINCOUNT=0) ends it"
                                               : "OPENBLAS_THREAD_TIMEOUT=20 ends it after a millisecond";
    doctor_find(
        d, spins ? DOCTOR_COSTS : DOCTOR_FINE, spins ? advice : NULL,
        spins ? "the BLAS (%s build) spins on for %.0f ms after a product of %d threads and uses %.0f ms of "
                "CPU "
                "time in that: workers beside it pay"
              : "the BLAS (%s build) is asleep %.0f ms after a product of %d threads (%.0f ms of CPU time)",
        p.threading, p.spin_ns / 1e6, all.threads, p.spin_cpu_ns / 1e6);
    harness_probe_fini(&p);
}

const struct doctor_check doctor_check_pool = {
    .name = "pool",
    .summary = "how long the BLAS's threads spin after their work",
    .look = look,
};
