/* What the loader itself costs, each figure beside its yardstick taken in the same run: a cache line sent to the
 * other CPU and back, or a bare memcpy by as many processes. Prints a table; nothing here is a unit test.
 *
 *     loader_speed [ROUNDS [WORDS]]
 *
 * Each figure is the median of ROUNDS runs (default 7), yardsticks in between, and the best of them; WORDS: only
 * the rows that contain them.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "loader/generator.h"
#include "loader/loader.h"

enum { SMALL_BYTES = 64, IMAGE_BYTES = 224 * 224 * 3, MOST_ROUNDS = 99 };

static _Noreturn void die(const char *what, const struct err *err)
{
    fprintf(stderr, "loader_speed: %s: %s\n", what, err ? err->text : strerror(errno));
    exit(1);
}

/* ---- yardsticks ---- */

static int nth_cpu(int n)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &set) && n-- == 0)
            return cpu;
    return -1;
}

static void pin_self(int cpu)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof set, &set);
}

enum { PINGS = 200000 };

struct ball {
    _Alignas(128) _Atomic int at;
};

static void *return_ball(void *arg)
{
    struct ball *ball = arg;
    pin_self(nth_cpu(1));
    for (int i = 0; i < PINGS; i++) {
        while (atomic_load_explicit(&ball->at, memory_order_acquire) != 2 * i + 1)
            ;
        atomic_store_explicit(&ball->at, 2 * i + 2, memory_order_release);
    }
    return NULL;
}

/* ns for a cache line to the other CPU and back. */
static double measure_round_trip(void)
{
    struct ball ball = {0};
    cpu_set_t before;
    pthread_t other;
    sched_getaffinity(0, sizeof before, &before);
    if (nth_cpu(1) < 0)
        return 0;
    if (pthread_create(&other, NULL, return_ball, &ball))
        die("thread", NULL);
    pin_self(nth_cpu(0));
    uint64_t start_ns = 0;
    for (int i = 0; i < PINGS; i++) {
        if (i == PINGS / 10)
            start_ns = clock_now_ns();
        atomic_store_explicit(&ball.at, 2 * i + 1, memory_order_release);
        while (atomic_load_explicit(&ball.at, memory_order_acquire) != 2 * i + 2)
            ;
    }
    double ns = (double)(clock_now_ns() - start_ns) / (PINGS - PINGS / 10);
    pthread_join(other, NULL);
    sched_setaffinity(0, sizeof before, &before);
    return ns;
}

enum { COPIES = 4000 };

/* ns a sample when `processes` copy one image after the other into shared memory: as many bytes as the loader's slots
 * hold (two batches of 32 for each worker, one in hand, one more for each further worker). */
static double measure_memcpy(int processes)
{
    int slots = 3 * 32;
    size_t bytes = (size_t)slots * IMAGE_BYTES;
    unsigned char *to =
        mmap(NULL, bytes * (size_t)processes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    unsigned char *from = malloc(IMAGE_BYTES);
    if (to == MAP_FAILED || !from)
        die("memory", NULL);
    memset(from, 1, IMAGE_BYTES);
    memset(to, 0, bytes * (size_t)processes);
    uint64_t start_ns = clock_now_ns();
    for (int p = 0; p < processes; p++)
        if (fork() == 0) {
            for (int i = 0; i < COPIES; i++)
                memcpy(to + (size_t)p * bytes + (size_t)(i % slots) * IMAGE_BYTES, from, IMAGE_BYTES);
            _exit(0);
        }
    while (wait(NULL) > 0)
        ;
    double ns = (double)(clock_now_ns() - start_ns) / ((double)COPIES * processes);
    munmap(to, bytes * (size_t)processes);
    free(from);
    return ns;
}

/* ---- the loader ---- */

struct source {
    int64_t n;
    unsigned char *image;
};

static int64_t source_len(void *self)
{
    return ((struct source *)self)->n;
}

static int give_small(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    memcpy(out->data, &index, sizeof index);
    out->bytes = SMALL_BYTES;
    return 0;
}

static int give_image(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)index;
    (void)err;
    memcpy(out->data, ((struct source *)self)->image, IMAGE_BYTES);
    out->bytes = IMAGE_BYTES;
    return 0;
}

struct setting {
    const char *name;
    int workers;
    enum loader_backend backend;
    int64_t batch_size, samples;
    bool image;
};

/* ns a sample in the steady state: the first tenth of the epoch is not timed. */
static double measure_loader(const struct setting *s)
{
    struct source source = {.n = s->samples, .image = malloc(IMAGE_BYTES)};
    if (!source.image)
        die("memory", NULL);
    memset(source.image, 1, IMAGE_BYTES); /* untouched pages would all be the one page of zeros */
    struct dataset ds = {.name = "speed",
                         .self = &source,
                         .sample_bytes_max = s->image ? IMAGE_BYTES : SMALL_BYTES,
                         .len = source_len,
                         .get = s->image ? give_image : give_small};
    struct loader_config cfg = {
        .dataset = &ds, .num_workers = s->workers, .backend = s->backend, .batch_size = s->batch_size};
    struct loader *l;
    struct loader_iter *it;
    struct err err = {0};
    const struct batch *b;
    if (loader_create(&cfg, &l, &err) || loader_iter_open(l, &it, &err))
        die(s->name, &err);
    int64_t seen = 0, from = 0;
    uint64_t start_ns = 0, sum = 0;
    int rc;
    while ((rc = loader_next(it, &b, &err)) == 0) {
        if (!start_ns && seen > s->samples / 10) {
            start_ns = clock_now_ns();
            from = seen;
        }
        for (int64_t i = 0; i < b->samples; i++)
            sum += b->data[b->offset[i]];
        seen += b->samples;
        loader_release(it, b);
    }
    double ns = (double)(clock_now_ns() - start_ns) / (double)(seen - from);
    if (rc != -ENODATA || sum == 1)
        die(s->name, &err);
    loader_iter_close(it);
    loader_destroy(l);
    free(source.image);
    return ns;
}

/* An epoch of 1,000 small samples under way. */
struct epoch {
    struct source source;
    struct dataset dataset;
    struct loader *loader;
    struct loader_iter *it;
};

static void epoch_open(struct epoch *e, const char *name, int workers,
                       int (*get)(void *self, int64_t index, struct sample *out, struct err *err))
{
    e->source = (struct source){.n = 1000};
    e->dataset = (struct dataset){
        .name = name, .self = &e->source, .sample_bytes_max = SMALL_BYTES, .len = source_len, .get = get};
    struct loader_config cfg = {.dataset = &e->dataset, .num_workers = workers};
    struct err err = {0};
    if (loader_create(&cfg, &e->loader, &err) || loader_iter_open(e->loader, &e->it, &err))
        die(name, &err);
}

static void epoch_close(struct epoch *e)
{
    loader_iter_close(e->it);
    loader_destroy(e->loader);
}

/* ms until the first batch, and KiB of private memory a worker adds. */
static void measure_start(double *start_ms, double *private_kib)
{
    struct epoch e;
    struct loader_stats stats;
    struct err err = {0};
    const struct batch *b;
    pid_t pids[2];
    epoch_open(&e, "start", 2, give_small);
    if (loader_next(e.it, &b, &err))
        die("start", &err);
    loader_release(e.it, b);
    while (loader_iter_stats(e.it, &stats), loader_next(e.it, &b, &err) == 0)
        loader_release(e.it, b);
    *start_ms = (double)stats.startup_ns * 1e-6;
    loader_iter_pids(e.it, pids, 2);
    char path[64], line[256];
    long kib, sum = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pids[0]);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "Private_Dirty: %ld kB", &kib) == 1)
            sum += kib;
    if (f)
        fclose(f);
    *private_kib = (double)sum;
    epoch_close(&e);
}

static int hang(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)index;
    (void)out;
    (void)err;
    clock_sleep_ns(UINT64_C(60000000000));
    return 0;
}

/* ms to close an iterator whose four workers hang in a sample. */
static double measure_close(void)
{
    struct epoch e;
    epoch_open(&e, "close", 4, hang);
    clock_sleep_ns(20000000);
    uint64_t start_ns = clock_now_ns();
    epoch_close(&e);
    return (double)(clock_now_ns() - start_ns) * 1e-6;
}

/* Percent of a CPU that two workers and a consumer use while nobody asks for anything. */
static double measure_idle(void)
{
    struct epoch e;
    pid_t pids[2];
    uint64_t before_ns = 0, after_ns = 0, ns;
    epoch_open(&e, "idle", 2, give_small);
    loader_iter_pids(e.it, pids, 2);
    clock_sleep_ns(100000000);
    for (int w = 0; w < 2; w++, before_ns += ns)
        clock_cpu_ns(pids[w], &ns);
    clock_sleep_ns(400000000);
    for (int w = 0; w < 2; w++, after_ns += ns)
        clock_cpu_ns(pids[w], &ns);
    epoch_close(&e);
    return (double)(after_ns - before_ns) / 400000000.0 * 100;
}

/* ns an index: the permutation as the loader draws it, and as the reference's loop reads. */
static double measure_permutation(bool plain, int64_t *out, int64_t n)
{
    struct generator g;
    generator_seed(&g, 1);
    uint64_t start_ns = clock_now_ns();
    if (!plain) {
        generator_permutation(&g, n, out);
    } else {
        for (int64_t i = 0; i < n; i++)
            out[i] = i;
        for (int64_t i = 0; i < n - 1; i++) {
            int64_t z = generator_u32(&g) % (n - i), kept = out[i];
            out[i] = out[i + z];
            out[i + z] = kept;
        }
    }
    return (double)(clock_now_ns() - start_ns) / (double)n;
}

/* ---- the table ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, compare);
    return values[n / 2];
}

static const struct setting settings[] = {
    {"inline, batches of 32", 0, LOADER_BACKEND_PROCESS, 32, 3000000, false},
    {"1 process, batches of 32", 1, LOADER_BACKEND_PROCESS, 32, 3000000, false},
    {"1 thread, batches of 32", 1, LOADER_BACKEND_THREAD, 32, 3000000, false},
    {"2 processes, batches of 32", 2, LOADER_BACKEND_PROCESS, 32, 1000000, false},
    {"2 threads, batches of 32", 2, LOADER_BACKEND_THREAD, 32, 1000000, false},
    {"1 process, batches of 1", 1, LOADER_BACKEND_PROCESS, 1, 300000, false},
    {"1 thread, batches of 1", 1, LOADER_BACKEND_THREAD, 1, 300000, false},
    {"2 processes, batches of 1", 2, LOADER_BACKEND_PROCESS, 1, 60000, false},
    {"1 process, images", 1, LOADER_BACKEND_PROCESS, 32, 8000, true},
    {"2 processes, images", 2, LOADER_BACKEND_PROCESS, 32, 8000, true},
};

enum { SETTINGS = sizeof settings / sizeof *settings };

struct row {
    const char *name;
    double value[MOST_ROUNDS];
    int n;
};

static const char *wanted_words;

static bool wanted(const char *name)
{
    return !wanted_words || strstr(name, wanted_words);
}

static void add(struct row *row, double value)
{
    row->value[row->n++] = value;
}

/* "name   median   best   ratio what", the ratio of medians, 0 = none. */
static void print_row(struct row *row, int decimals, double ratio, const char *what)
{
    if (!row->n)
        return;
    double middle = median(row->value, row->n);
    printf("%-34s %10.*f%10.*f", row->name, decimals, middle, decimals, row->value[0]);
    if (ratio > 0)
        printf("   %.3g %s", ratio, what);
    printf("\n");
}

enum { TRIP, COPY_ONE, COPY_TWO, PERMUTE, PERMUTE_PLAIN, START, CLOSE, PRIVATE, IDLE, YARDSTICKS };

static struct row yardsticks[YARDSTICKS] = {
    [TRIP] = {.name = "cache line, there and back"},
    [COPY_ONE] = {.name = "memcpy of images, 1 process"},
    [COPY_TWO] = {.name = "memcpy of images, 2 processes"},
    [PERMUTE] = {.name = "permutation of 10 M, an index"},
    [PERMUTE_PLAIN] = {.name = "permutation, the reference's loop"},
    [START] = {.name = "start of 2 processes, ms"},
    [CLOSE] = {.name = "closing 4 workers that hang, ms"},
    [PRIVATE] = {.name = "private memory of a worker, KiB"},
    [IDLE] = {.name = "2 idle workers, % of a CPU"},
};

static struct row loaders[SETTINGS];

/* libtorch's loader on the same work, when loader_peer was built beside this program; by setting. */
static struct row peers[SETTINGS];

static bool find_peer(char path[4096])
{
    ssize_t n = readlink("/proc/self/exe", path, 4000);
    path[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash)
        return false;
    strcpy(slash + 1, "loader_peer");
    return access(path, X_OK) == 0;
}

static void measure_peer(int s)
{
    char path[4096], command[4400];
    double ns;
    if (settings[s].backend != LOADER_BACKEND_PROCESS || settings[s].image || !settings[s].workers ||
        !find_peer(path))
        return;
    /* It is up to two orders slower: a tenth of the samples takes as long. */
    snprintf(command, sizeof command, "%s %d %d %d", path, settings[s].workers, (int)settings[s].batch_size,
             (int)settings[s].samples / 10);
    FILE *peer = popen(command, "re");
    if (!peer || fscanf(peer, "%lf", &ns) != 1)
        die(command, NULL);
    pclose(peer);
    add(&peers[s], ns);
}

static void measure_rest(int64_t *indices, int64_t n)
{
    double start_ms, private_kib;
    if (wanted("start") || wanted("private")) {
        measure_start(&start_ms, &private_kib);
        add(&yardsticks[START], start_ms);
        add(&yardsticks[PRIVATE], private_kib);
    }
    if (wanted("closing"))
        add(&yardsticks[CLOSE], measure_close());
    if (wanted("permutation")) {
        add(&yardsticks[PERMUTE], measure_permutation(false, indices, n));
        add(&yardsticks[PERMUTE_PLAIN], measure_permutation(true, indices, n));
    }
    if (wanted("idle"))
        add(&yardsticks[IDLE], measure_idle());
}

static void measure_round(int64_t *indices, int64_t n)
{
    add(&yardsticks[TRIP], measure_round_trip());
    if (wanted("images")) {
        add(&yardsticks[COPY_ONE], measure_memcpy(1));
        add(&yardsticks[COPY_TWO], measure_memcpy(2));
    }
    for (int s = 0; s < SETTINGS; s++)
        if (wanted(settings[s].name)) {
            add(&loaders[s], measure_loader(&settings[s]));
            measure_peer(s);
        }
    measure_rest(indices, n);
}

static double middle_of(struct row *row)
{
    return row->n ? median(row->value, row->n) : 0;
}

static void print_table(void)
{
    double trip = middle_of(&yardsticks[TRIP]);
    printf("%-34s %10s%10s\n", "ns a sample", "median", "best");
    for (int y = TRIP; y <= COPY_TWO; y++)
        print_row(&yardsticks[y], 1, 0, "");
    for (int s = 0; s < SETTINGS; s++) {
        double ns = middle_of(&loaders[s]);
        double copy = middle_of(&yardsticks[settings[s].workers > 1 ? COPY_TWO : COPY_ONE]);
        if (settings[s].image)
            print_row(&loaders[s], 1, copy / ns, "of memcpy's rate");
        else
            print_row(&loaders[s], 1, trip ? ns / trip : 0, "round trips");
    }
    for (int s = 0; s < SETTINGS; s++)
        if (peers[s].n) {
            char name[64];
            snprintf(name, sizeof name, "libtorch, %.40s", strchr(settings[s].name, ',') + 2);
            peers[s].name = name;
            print_row(&peers[s], 1, middle_of(&peers[s]) / middle_of(&loaders[s]),
                      settings[s].workers > 1 ? "x ours, 2 workers" : "x ours, 1 worker");
        }
    print_row(&yardsticks[PERMUTE], 1,
              middle_of(&yardsticks[PERMUTE_PLAIN]) / middle_of(&yardsticks[PERMUTE]),
              "x the rate of the reference's loop");
    for (int y = PERMUTE_PLAIN; y < YARDSTICKS; y++)
        print_row(&yardsticks[y], 2, 0, "");
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 7;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    wanted_words = argc > 2 ? argv[2] : NULL;
    int64_t n = 10000000, *indices = calloc((size_t)n, sizeof *indices);
    if (!indices)
        die("memory", NULL);
    for (int s = 0; s < SETTINGS; s++)
        loaders[s].name = settings[s].name;
    for (int r = 0; r < rounds; r++)
        measure_round(indices, n);
    print_table();
    free(indices);
    return 0;
}
