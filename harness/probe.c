/* The probe: what it measures in itself, and how it is started and heard.
 *
 * Products are checked without a second product: for whole numbers a and b, a (b x) = (a b) x holds exactly for a
 * random vector x, at n^2 instead of n^3. Source: R. Freivalds, "Probabilistic Machines Can Use Less Running Time",
 * IFIP 1977. Entries are -3 .. 3, so that any order of summation is exact in single precision. */
#include "harness/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/counter_rng.h"
#include "harness/affinity.h"
#include "kernels/blas.h"
#include "results/json.h"

enum { SIZE = 768, LINE_BYTES = 4096, ENTRY = 3, PRODUCTS_MAX = 1000 };
static const double WORK_NS = 60e6, STILL_NS = 20e6, SPIN_MAX_NS = 1e9, TIMEOUT_NS = 10e9;

/* ---- in the child ---- */

struct matrices {
    int n;
    float *a, *b, *c;
};

static void fill(float *m, int n, uint64_t stream)
{
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, stream);
    for (long i = 0; i < (long)n * n; i++)
        m[i] = (float)((int)counter_rng_below(&rng, 2 * ENTRY + 1) - ENTRY);
}

static int make_matrices(struct matrices *m, int n, struct err *err)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    *m = (struct matrices){n, malloc(bytes), malloc(bytes), malloc(bytes)};
    if (!m->a || !m->b || !m->c)
        return err_set(err, -ENOMEM, "out of memory for matrices of %d x %d", n, n);
    fill(m->a, n, 1);
    fill(m->b, n, 2);
    memset(m->c, 0, bytes);
    return 0;
}

static void free_matrices(struct matrices *m)
{
    free(m->a);
    free(m->b);
    free(m->c);
}

/* y = m x in whole numbers. */
static void times(const float *m, const int64_t *x, int n, int64_t *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int k = 0; k < n; k++)
            y[i] += (int64_t)m[(long)i * n + k] * x[k];
    }
}

static bool is_exact(const struct matrices *m)
{
    int64_t *v = calloc((size_t)m->n, 4 * sizeof *v);
    if (!v)
        return false;
    int64_t *x = v, *bx = v + m->n, *abx = bx + m->n, *cx = abx + m->n;
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, 3);
    for (int i = 0; i < m->n; i++)
        x[i] = (int64_t)counter_rng_below(&rng, 1000000) + 1;
    times(m->b, x, m->n, bx);
    times(m->a, bx, m->n, abx);
    times(m->c, x, m->n, cx);
    bool same = !memcmp(abx, cx, (size_t)m->n * sizeof *abx);
    free(v);
    return same;
}

static double fastest_gflop_per_s(const struct matrices *m, double work_ns)
{
    uint64_t from = clock_now_ns();
    double least = INFINITY;
    for (int i = 0; i < PRODUCTS_MAX && (i < 3 || (double)(clock_now_ns() - from) < work_ns); i++) {
        uint64_t start = clock_now_ns();
        kernel_blas_product(m->n, m->a, m->b, m->c);
        double ns = (double)(clock_now_ns() - start);
        least = ns < least ? ns : least;
    }
    return 2.0 * m->n * m->n * m->n / least;
}

/* Looks each millisecond whether CPU time was used; it stands still when none was for longer than the time slices that
 * other programs may have in between. */
static void measure_spin(struct probe *out)
{
    const uint64_t began = clock_now_ns();
    uint64_t cpu_before, cpu, last_moved = began;
    clock_cpu_ns(0, &cpu_before);
    const uint64_t cpu_began = cpu_before;
    for (;;) {
        clock_sleep_ns(1000000);
        uint64_t now = clock_now_ns();
        clock_cpu_ns(0, &cpu);
        if (cpu - cpu_before > 200000) /* more than looking costs */
            last_moved = now;
        cpu_before = cpu;
        if ((double)(now - last_moved) > STILL_NS || (double)(now - began) > SPIN_MAX_NS)
            break;
    }
    out->spin_ns = (double)(last_moved - began);
    out->spin_cpu_ns = last_moved > began ? (double)(cpu - cpu_began) : 0;
}

int harness_probe_self(const struct probe_request *r, struct probe *out, struct err *err)
{
    struct kernel_blas_info blas;
    kernel_blas_info(&blas);
    *out = (struct probe){.config = strdup(blas.config),
                          .core = strdup(blas.core),
                          .threading = strdup(blas.threading),
                          .threads_at_load = blas.threads};
    struct matrices m = {0};
    int threads, rc = harness_affinity_read((int)getpid(), &out->allowed, &threads, &out->same, err);
    rc = rc ? rc : make_matrices(&m, r->size ? r->size : SIZE, err);
    if (!rc) {
        kernel_blas_set_threads(r->threads ? r->threads : 1);
        out->gflop_per_s = fastest_gflop_per_s(&m, r->work_ns > 0 ? r->work_ns : WORK_NS);
        measure_spin(out);
        out->exact = is_exact(&m);
    }
    free_matrices(&m);
    return rc;
}

char *harness_probe_line(const struct probe *p)
{
    json_t *o =
        json_pack("{s:o, s:o, s:o, s:o, s:i, s:i, s:o, s:b, s:o, s:o}", "config", result_json_text(p->config),
                  "core", result_json_text(p->core), "threading", result_json_text(p->threading), "allowed",
                  result_json_text(p->allowed), "same", p->same, "threads_at_load", p->threads_at_load,
                  "gflop_per_s", result_json_real(p->gflop_per_s), "exact", p->exact, "spin_ns",
                  result_json_real(p->spin_ns), "spin_cpu_ns", result_json_real(p->spin_cpu_ns));
    char *line = o ? json_dumps(o, JSON_COMPACT) : NULL;
    json_decref(o);
    return line;
}

/* ---- in the parent ---- */

static int parse_line(const char *line, struct probe *out, struct err *err)
{
    json_t *o = json_loads(line, 0, NULL);
    *out = (struct probe){.config = result_json_get_text(o, "config"),
                          .core = result_json_get_text(o, "core"),
                          .threading = result_json_get_text(o, "threading"),
                          .allowed = result_json_get_text(o, "allowed"),
                          .same = (int)json_integer_value(json_object_get(o, "same")),
                          .threads_at_load = (int)json_integer_value(json_object_get(o, "threads_at_load")),
                          .gflop_per_s = result_json_get_real(o, "gflop_per_s"),
                          .exact = json_is_true(json_object_get(o, "exact")),
                          .spin_ns = result_json_get_real(o, "spin_ns"),
                          .spin_cpu_ns = result_json_get_real(o, "spin_cpu_ns")};
    json_decref(o);
    if (out->config && out->core && out->threading && out->allowed)
        return 0;
    harness_probe_fini(out);
    return err_set(err, -EPROTO, "the probe of the BLAS said '%.80s'", line);
}

void harness_probe_fini(struct probe *p)
{
    free(p->config);
    free(p->core);
    free(p->threading);
    free(p->allowed);
    *p = (struct probe){0};
}

static bool is_named(const char *entry, const char *name)
{
    size_t n = strcspn(name, "=");
    return !strncmp(entry, name, n) && entry[n] == '=';
}

static bool is_in(const char *entry, const char *const *names)
{
    for (; names && *names; names++)
        if (is_named(entry, *names))
            return true;
    return false;
}

/* The environment with the changes. The array is the caller's to free, its strings are borrowed. */
static char **make_environment(const struct probe_request *r)
{
    size_t n = 0, more = 0;
    while (environ[n])
        n++;
    for (const char *const *s = r->set; s && *s; s++)
        more++;
    char **env = calloc(n + more + 1, sizeof *env);
    size_t kept = 0;
    for (size_t i = 0; env && i < n; i++)
        if (!is_in(environ[i], r->set) && !is_in(environ[i], r->unset))
            env[kept++] = environ[i];
    for (size_t i = 0; env && i < more; i++)
        env[kept++] = (char *)r->set[i];
    return env;
}

static int spawn(const char *program, const struct probe_request *r, int out, pid_t *pid, struct err *err)
{
    char threads[16], size[16], work[32];
    snprintf(threads, sizeof threads, "%d", r->threads ? r->threads : 1);
    snprintf(size, sizeof size, "%d", r->size ? r->size : SIZE);
    snprintf(work, sizeof work, "%.0f", r->work_ns > 0 ? r->work_ns : WORK_NS);
    char *argv[] = {(char *)program, (char *)"probe", threads, size, work, NULL};
    char **env = make_environment(r);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    int rc = env ? -posix_spawnp(pid, program, &actions, NULL, argv, env) : -ENOMEM;
    posix_spawn_file_actions_destroy(&actions);
    free(env);
    return rc ? err_set_errno(err, rc, "cannot start '%s probe'", program) : 0;
}

/* Everything until the other side closes, or the time is over. */
static int read_all(int fd, char line[LINE_BYTES], struct err *err)
{
    uint64_t from = clock_now_ns();
    size_t n = 0;
    for (;;) {
        double left = TIMEOUT_NS - (double)(clock_now_ns() - from);
        struct pollfd p = {.fd = fd, .events = POLLIN};
        int ready = left > 0 ? poll(&p, 1, (int)(left / 1e6) + 1) : 0;
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return err_set(err, -ETIMEDOUT, "the probe of the BLAS did not answer within %.0f s",
                           TIMEOUT_NS / 1e9);
        ssize_t got = read(fd, line + n, LINE_BYTES - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    line[n] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

static int wait_for(pid_t pid, int failed, struct err *err)
{
    int status;
    if (failed)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!failed && WIFSIGNALED(status))
        return err_set(err, -EILSEQ, "it died: %s", strsignal(WTERMSIG(status)));
    return failed;
}

int harness_probe(const char *program, const struct probe_request *request, struct probe *out,
                  struct err *err)
{
    *out = (struct probe){0};
    int end[2];
    if (pipe2(end, O_CLOEXEC))
        return err_set_errno(err, -errno, "cannot make a pipe");
    char line[LINE_BYTES];
    pid_t pid;
    int rc = spawn(program, request, end[1], &pid, err);
    close(end[1]);
    if (!rc)
        rc = wait_for(pid, read_all(end[0], line, err), err);
    close(end[0]);
    return rc ? rc : parse_line(line, out, err);
}
