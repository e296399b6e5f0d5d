/* What a worker knows, and may change: who it is, its streams, its hook. */
#include "loader/worker_info.h"

#include <sched.h>

#include "fixture.h"

struct seen {
    int id, num_workers, cpus;
    int64_t seed;
    bool dataset, drew_before_hook;
};

static struct seen *seen;

static int look_around(void *arg, const struct worker_info *info, struct err *err)
{
    (void)err;
    struct seen *s = &seen[info->id];
    const struct worker_info *mine = loader_worker_info();
    struct generator fresh;
    generator_seed(&fresh, (uint64_t)info->seed);
    *s = (struct seen){.id = mine->id,
                       .num_workers = mine->num_workers,
                       .seed = mine->seed,
                       .dataset = mine->dataset == arg,
                       /* the streams are seeded before the hook runs */
                       .drew_before_hook = memcmp(&fresh, &loader_streams()->torch, sizeof fresh) == 0};
    return 0;
}

static void a_worker_knows_who_it_is_and_the_consumer_is_none(void **state)
{
    (void)state;
    seen = share(4096);
    static struct fixture f = {.n = 30, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    for (int backend = 0; backend < 2; backend++) {
        struct loader *l = must_create(&(struct loader_config){.dataset = &ds,
                                                               .num_workers = 6,
                                                               .backend = (enum loader_backend)backend,
                                                               .worker_init = look_around,
                                                               .worker_init_arg = &ds});
        struct loader_iter *it = must_open(l);
        int64_t values[30], n = 0, base = 0;
        collect(it, 100, values, &n, NULL);
        for (int w = 0; w < 6; w++) {
            base = w ? base : seen[0].seed;
            assert_int_equal(seen[w].id, w);
            assert_int_equal(seen[w].num_workers, 6);
            assert_int_equal(seen[w].seed, base + w);
            assert_true(seen[w].dataset && seen[w].drew_before_hook);
        }
        assert_null(loader_worker_info());
        assert_null(loader_streams());
        loader_iter_close(it);
        loader_destroy(l);
    }
    munmap(seen, 4096);
}

static int override(void *arg, const struct worker_info *info, struct err *err)
{
    (void)arg;
    (void)err;
    cpu_set_t one;
    int cpu = 0;
    sched_getaffinity(0, sizeof one, &one);
    while (!CPU_ISSET(cpu, &one))
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    generator_seed(&loader_streams()->torch, 7);
    (void)info;
    return 0;
}

static int report_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)index;
    (void)err;
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    double *report = out->data;
    report[0] = (double)generator_uniform_f32(&loader_streams()->torch);
    report[1] = CPU_COUNT(&set);
    out->bytes = 2 * sizeof *report;
    return 0;
}

static void a_hook_may_set_another_seed_and_another_affinity(void **state)
{
    (void)state;
    static struct fixture f = {.n = 2};
    struct dataset ds = {
        .name = "report", .self = &f, .sample_bytes_max = 16, .len = fixture_len, .get = report_get};
    struct generator seven;
    generator_seed(&seven, 7);
    double expected = (double)generator_uniform_f32(&seven);
    struct loader *l =
        must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2, .worker_init = override});
    struct loader_iter *it = must_open(l);
    const struct batch *b;
    for (int w = 0; w < 2; w++) {
        assert_int_equal(loader_next(it, &b, NULL), 0);
        const double *report = (const double *)(const void *)b->data;
        assert_true(report[0] == expected && report[1] == 1);
        loader_release(it, b);
    }
    loader_iter_close(it);
    loader_destroy(l);
}

static int per_sample_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    struct counter_rng rng;
    loader_sample_stream(&rng, index);
    int64_t draw = (int64_t)(counter_rng_u64(&rng) >> 1);
    return fixture_get(self, draw, out, err);
}

static void the_per_sample_stream_survives_a_change_of_the_worker_count(void **state)
{
    (void)state;
    static struct fixture f = {.n = 10};
    struct dataset ds = {
        .name = "per sample", .self = &f, .sample_bytes_max = 8, .len = fixture_len, .get = per_sample_get};
    int64_t expected[20] = {0}, values[20], n;
    for (int workers = 0; workers < 4; workers++) {
        struct loader *l =
            must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers, .seed = 9});
        n = 0;
        for (int epoch = 0; epoch < 2; epoch++) {
            struct loader_iter *it = must_open(l);
            collect(it, 100, workers ? values : expected, &n, NULL);
            loader_iter_close(it);
        }
        loader_destroy(l);
        if (workers)
            assert_memory_equal(values, expected, sizeof values);
    }
    assert_memory_not_equal(expected, expected + 10, 10 * sizeof *expected); /* epochs differ */
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_worker_knows_who_it_is_and_the_consumer_is_none),
        cmocka_unit_test(a_hook_may_set_another_seed_and_another_affinity),
        cmocka_unit_test(the_per_sample_stream_survives_a_change_of_the_worker_count),
    };
    return CASES(cases);
}
