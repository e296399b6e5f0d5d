/* Long fault injection (ctest -L fault): workers are killed at random moments, a thousand times, in every kind of
 * loader; and a thousand workers are asked for on a few CPUs. No hang, no leak, the right error or the right data.
 *
 *     fault_kills [KILLS [SEED]]
 */
#include <sys/resource.h>

#include "fixture.h"
#include "loader/generator.h"

/* Sanitizers catch some of the signals and exit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DEATH ""
#else
#define DEATH "is killed by signal"
#endif

static int failures;

static void complain(const char *what, int64_t round, const char *text)
{
    fprintf(stderr, "round %lld: %s: %s\n", (long long)round, what, text);
    failures++;
}

static const int signals[] = {SIGKILL, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGHUP};

/* A loader of some kind, from the generator. */
static struct loader_config draw_config(struct generator *g, const struct dataset *map,
                                        const struct dataset *stream)
{
    struct loader_config cfg = {.dataset = generator_below(g, 2) ? map : stream,
                                .num_workers = 1 + (int)generator_below(g, 4),
                                .batch_size = 1 + generator_below(g, 8),
                                .prefetch_factor = 1 + (int)generator_below(g, 3),
                                .persistent_workers = generator_below(g, 3) == 0,
                                .out_of_order = generator_below(g, 3) == 0,
                                .pin_memory = generator_below(g, 5) == 0,
                                .pin_how = LOADER_PIN_MLOCK};
    cfg.shuffle = cfg.dataset == map && generator_below(g, 2);
    return cfg;
}

/* Waits some random time, from none (the worker is hardly born) to a few batches' time. */
static void dawdle(struct generator *g)
{
    uint64_t ns = (uint64_t)generator_below(g, 4) ? (uint64_t)generator_below(g, 300000) : 0;
    if (ns)
        clock_sleep_ns(ns);
}

/* Kills a worker somewhere in an epoch; the epoch then ends with -EPIPE, or normally if the kill came too late. */
static void kill_once(struct generator *g, int64_t round, const struct loader_config *cfg)
{
    struct loader *l;
    struct loader_iter *it = NULL;
    struct err err = {0};
    pid_t pids[8];
    int64_t values[4096], n = 0;
    if (loader_create(cfg, &l, &err)) {
        complain("create", round, err.text);
        return;
    }
    int rc = loader_iter_open(l, &it, &err);
    if (!rc) {
        int workers = loader_iter_pids(it, pids, 8);
        int signal = signals[generator_below(g, sizeof signals / sizeof *signals)];
        rc = collect(it, generator_below(g, 12), values, &n, &err);
        dawdle(g);
        kill(pids[generator_below(g, workers)], signal);
        if (generator_below(g, 4)) /* else it is closed at once */
            while (!rc)
                rc = collect(it, 1, values, &n, &err);
    }
    if (rc && rc != -EPIPE && rc != -ENODATA)
        complain("unexpected error", round, err.text);
    if (rc == -EPIPE && (!strstr(err.text, "worker ") || !strstr(err.text, DEATH)))
        complain("text", round, err.text);
    loader_iter_close(it);
    if (cfg->persistent_workers && generator_below(g, 2)) { /* the next epoch starts new workers */
        err = (struct err){0};
        n = 0;
        if (loader_iter_open(l, &it, &err) == 0) {
            rc = collect(it, 4096, values, &n, &err);
            if (rc != -ENODATA && rc != -EPIPE)
                complain("epoch after", round, err.text);
            loader_iter_close(it);
        } else if (err.code != -EPIPE) {
            complain("open after", round, err.text);
        }
    }
    loader_destroy(l);
    if (has_children())
        complain("a child is left", round, cfg->dataset->name);
}

static long mapped_pages(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "re");
    if (f && fscanf(f, "%ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return pages;
}

static void kill_workers(int64_t kills, uint64_t seed)
{
    static struct fixture f = {
        .n = 100, .deed = DEED_SLEEP, .at = -1, .in_worker = -1, .sleep_ns = 20000, .draw = true};
    struct dataset map = fixture_map(&f), stream = fixture_stream(&f);
    struct generator g;
    generator_seed(&g, seed);
    int descriptors = 0;
    long pages = 0;
    for (int64_t round = 0; round < kills; round++) {
        struct loader_config cfg = draw_config(&g, &map, &stream);
        kill_once(&g, round, &cfg);
        if (round == 20) { /* the heap has its size by now */
            descriptors = open_descriptors();
            pages = mapped_pages();
        }
    }
    if (kills > 20 && open_descriptors() != descriptors)
        complain("descriptors leak", kills, "at the end there are others than after 20 rounds");
    if (kills > 20 && mapped_pages() > pages + 256)
        complain("memory leaks", kills, "more than 1 MiB is mapped beyond what was after 20 rounds");
}

/* It works, or says why not with the limit; either way nothing is left. */
static void ask_for_a_thousand_workers(void)
{
    static struct fixture f = {.n = 3000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l;
    struct loader_iter *it;
    struct err err = {0};
    static int64_t values[3000];
    int64_t n = 0;
    if (loader_create(&(struct loader_config){.dataset = &ds, .num_workers = 1000}, &l, &err)) {
        complain("create with 1000 workers", 0, err.text);
        return;
    }
    if (loader_iter_open(l, &it, &err)) {
        if (!strstr(err.text, "limit"))
            complain("open with 1000 workers", 0, err.text);
    } else {
        if (collect(it, 4000, values, &n, &err) != -ENODATA || n != 3000)
            complain("1000 workers", n, err.text);
        for (int64_t i = 0; i < n; i++)
            if (values[i] != i)
                complain("order of 1000 workers", i, "");
        loader_iter_close(it);
    }
    loader_destroy(l);
    if (has_children())
        complain("a child is left", 0, "1000 workers");
}

int main(int argc, char **argv)
{
    int64_t kills = argc > 1 ? atoll(argv[1]) : 1000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    kill_workers(kills, seed);
    ask_for_a_thousand_workers();
    printf("%lld kills from seed %llu, %d failures\n", (long long)kills, (unsigned long long)seed, failures);
    return failures != 0;
}
