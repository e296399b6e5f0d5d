/* What a loader delivers, in which order, by whom, and what its workers see: A4 to A6, A9 and A11 of the facts that
 * tests/loader/README.md lists. */
#include "loader/loader.h"

#include <sched.h>
#include <sys/mman.h>

#include "fixture.h"

static void *share(size_t bytes)
{
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(at, MAP_FAILED);
    return at;
}

static void eight_samples_of_seed_0_come_in_the_published_order(void **state)
{
    (void)state;
    const int64_t expected[8] = {5, 3, 1, 7, 2, 6, 4, 0};
    static struct fixture f = {.n = 8, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    for (int workers = 0; workers < 4; workers++)
        for (int backend = 0; backend < 2; backend++) {
            struct loader_config cfg = {.dataset = &ds,
                                        .num_workers = workers,
                                        .shuffle = true,
                                        .backend = (enum loader_backend)backend};
            struct loader *l = must_create(&cfg);
            struct loader_iter *it = must_open(l);
            int64_t values[8], n = 0;
            assert_int_equal(collect(it, 9, values, &n, NULL), -ENODATA);
            assert_int_equal(n, 8);
            assert_memory_equal(values, expected, sizeof values);
            loader_iter_close(it);
            loader_destroy(l);
        }
}

static void batch_i_is_made_by_worker_i_modulo_their_number(void **state)
{
    (void)state;
    static struct fixture f = {.n = 200, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    for (int64_t size = 8; size <= 64; size *= 2)
        for (int workers = 1; workers < 7; workers++) {
            struct loader_config cfg = {.dataset = &ds, .num_workers = workers, .batch_size = size};
            struct loader *l = must_create(&cfg);
            struct loader_iter *it = must_open(l);
            const struct batch *b;
            int64_t n = 0, batches;
            assert_int_equal(loader_len(l, &batches, NULL), 0);
            for (; loader_next(it, &b, NULL) == 0; n++) {
                assert_int_equal(b->number, n);
                assert_int_equal(b->worker, n % workers);
                assert_int_equal(b->index[0], n * size);
                loader_release(it, b);
            }
            assert_int_equal(n, batches);
            loader_iter_close(it);
            loader_destroy(l);
        }
}

static void the_generator_ends_the_same_whatever_the_worker_count(void **state)
{
    (void)state;
    static struct fixture f = {.n = 33, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct generator g[4];
    for (int workers = 0; workers < 4; workers++) {
        generator_seed(&g[workers], 42);
        struct loader_config cfg = {.dataset = &ds,
                                    .num_workers = workers,
                                    .batch_size = 4,
                                    .shuffle = true,
                                    .generator = &g[workers]};
        struct loader *l = must_create(&cfg);
        for (int epoch = 0; epoch < 2; epoch++) {
            struct loader_iter *it = must_open(l);
            int64_t values[33], n = 0;
            collect(it, 100, values, &n, NULL);
            loader_iter_close(it);
        }
        loader_destroy(l);
        assert_memory_equal(&g[workers], &g[0], sizeof *g);
    }
}

static void a_loader_that_is_merely_iterated_leaves_another_ones_shuffle_alone(void **state)
{
    (void)state;
    static struct fixture f = {.n = 20, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader_config cfg = {.dataset = &ds, .shuffle = true, .num_workers = 1, .seed = 1};
    struct loader *a = must_create(&cfg), *b = must_create(&cfg);
    int64_t alone[20], beside[20], other[20], n = 0, m = 0, k = 0;
    struct loader_iter *it = must_open(a);
    collect(it, 100, alone, &n, NULL);
    loader_iter_close(it);
    loader_destroy(a);
    a = must_create(&cfg);
    struct loader_iter *x = must_open(a), *y = must_open(b); /* interleaved */
    for (int i = 0; i < 20; i++) {
        collect(x, 1, beside, &m, NULL);
        collect(y, 1, other, &k, NULL);
    }
    assert_memory_equal(alone, beside, sizeof alone);
    assert_memory_equal(alone, other, sizeof alone);
    loader_iter_close(x);
    loader_iter_close(y);
    loader_destroy(a);
    loader_destroy(b);
}

static void two_iterators_of_one_loader_are_independent(void **state)
{
    (void)state;
    static struct fixture f = {.n = 12, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2});
    struct loader_iter *x = must_open(l), *y = must_open(l);
    int64_t a[12], b[12], n = 0, m = 0;
    assert_int_equal(collect(x, 5, a, &n, NULL), 0);
    assert_int_equal(collect(y, 100, b, &m, NULL), -ENODATA);
    assert_int_equal(collect(x, 100, a, &n, NULL), -ENODATA);
    assert_int_equal(n, 12);
    assert_memory_equal(a, b, sizeof a);
    loader_iter_close(y);
    loader_iter_close(x);
    loader_destroy(l);
}

/* No more than prefetch_factor * workers are made ahead, and a batch is sent for only when one is handed over. */
struct made {
    _Atomic int n;
};

static struct made *made;

static int counting_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)index;
    (void)err;
    out->bytes = 0;
    atomic_fetch_add(&made->n, 1);
    return 0;
}

static void wait_for(int n)
{
    for (int i = 0; i < 5000 && atomic_load(&made->n) < n; i++)
        clock_sleep_ns(MS);
}

static void workers_run_ahead_by_the_prefetch_factor_and_no_further(void **state)
{
    (void)state;
    made = share(4096);
    static struct fixture f = {.n = 100};
    struct dataset ds = {
        .name = "counted", .self = &f, .sample_bytes_max = 8, .len = fixture_len, .get = counting_get};
    for (int factor = 1; factor < 4; factor++) {
        atomic_store(&made->n, 0);
        struct loader *l = must_create(&(struct loader_config){
            .dataset = &ds, .num_workers = 2, .prefetch_factor = factor, .extra_slots = 3});
        struct loader_iter *it = must_open(l);
        const struct batch *b[4];
        wait_for(2 * factor);
        for (int taken = 0; taken < 4; taken++) {
            assert_int_equal(loader_iter_outstanding(it), 2 * factor);
            wait_for(2 * factor + taken);
            clock_sleep_ns(5 * MS);
            assert_int_equal(atomic_load(&made->n), 2 * factor + taken);
            assert_int_equal(loader_next(it, &b[taken], NULL), 0);
        }
        struct err err = {0};
        const struct batch *none;
        assert_int_equal(loader_next(it, &none, &err), -ENOBUFS);
        assert_non_null(strstr(err.text, "holds all its 4 batches"));
        for (int i = 0; i < 4; i++)
            loader_release(it, b[i]);
        assert_int_equal(loader_next(it, &none, NULL), 0);
        loader_iter_close(it);
        loader_destroy(l);
    }
    munmap(made, 4096);
}

/* The slow sample waits until the consumer has had eight others: no clock decides the outcome. */
static _Atomic int *had;

static int patient_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    for (int i = 0; index == 0 && i < 20000 && atomic_load(had) < 8; i++)
        clock_sleep_ns(MS);
    return fixture_get(self, index, out, err);
}

static void out_of_order_a_slow_sample_holds_nobody_up(void **state)
{
    (void)state;
    const int64_t expected[10] = {1, 3, 4, 5, 6, 7, 8, 9, 0, 2};
    had = share(4096);
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = {
        .name = "patient", .self = &f, .sample_bytes_max = 8, .len = fixture_len, .get = patient_get};
    for (int backend = 0; backend < 2; backend++) {
        atomic_store(had, 0);
        struct loader *l = must_create(&(struct loader_config){
            .dataset = &ds, .num_workers = 2, .out_of_order = true, .backend = (enum loader_backend)backend});
        struct loader_iter *it = must_open(l);
        int64_t values[10], n = 0;
        while (collect(it, 1, values, &n, NULL) == 0)
            atomic_fetch_add(had, 1);
        assert_int_equal(n, 10);
        assert_memory_equal(values, expected, sizeof values);
        loader_iter_close(it);
        loader_destroy(l);
    }
    munmap((void *)had, 4096);
}

static void the_waits_by_cause_add_up_and_a_head_of_line_wait_is_told(void **state)
{
    (void)state;
    static struct fixture f = {.n = 40, .deed = DEED_SLEEP, .at = -1, .in_worker = 0, .sleep_ns = 4 * MS};
    struct dataset ds = fixture_map(&f);
    for (int workers = 0; workers < 3; workers++) {
        struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers});
        struct loader_iter *it = must_open(l);
        const struct batch *b;
        uint64_t waited_ns = 0, sum_ns = 0;
        struct loader_stats stats;
        while (loader_next(it, &b, NULL) == 0) {
            assert_true(b->started_ns <= b->finished_ns && b->issued_ns <= b->received_ns);
            assert_true(b->finished_ns <= b->received_ns);
            waited_ns += b->wait_ns;
            loader_release(it, b);
        }
        loader_iter_stats(it, &stats);
        for (int cause = 0; cause < LOADER_WAIT_CAUSES; cause++)
            sum_ns += stats.wait_ns[cause];
        assert_int_equal(sum_ns, waited_ns);
        assert_int_equal(stats.batches, 40);
        assert_int_equal(stats.bytes, 40 * 8);
        assert_true(stats.first_batch_ns > 0);
        assert_true(workers == 0 || stats.startup_ns > 0);
        if (workers == 2) { /* worker 1's batches are ready while worker 0 sleeps */
            assert_true(stats.head_of_line_waits > 0);
            assert_true(stats.wait_ns[LOADER_WAIT_HEAD_OF_LINE] > stats.wait_ns[LOADER_WAIT_COMPUTE]);
        }
        if (workers == 1) {
            assert_int_equal(stats.head_of_line_waits, 0);
            assert_true(stats.wait_ns[LOADER_WAIT_COMPUTE] > 20 * 4 * MS);
        }
        loader_iter_close(it);
        loader_destroy(l);
    }
}

static void item_times_are_taken_when_asked_for(void **state)
{
    (void)state;
    static struct fixture f = {.n = 4, .deed = DEED_SLEEP, .at = 2, .in_worker = -1, .sleep_ns = 20 * MS};
    struct dataset ds = fixture_map(&f);
    for (int workers = 0; workers < 2; workers++)
        for (int times = 0; times < 2; times++) {
            struct loader *l = must_create(&(struct loader_config){
                .dataset = &ds, .num_workers = workers, .batch_size = 4, .item_times = times});
            struct loader_iter *it = must_open(l);
            const struct batch *b;
            assert_int_equal(loader_next(it, &b, NULL), 0);
            assert_true((b->item_ns != NULL) == (times == 1));
            if (times)
                assert_true(b->item_ns[2] >= 20 * MS);
            loader_iter_close(it);
            loader_destroy(l);
        }
}

/* ---- what a worker sees ---- */

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

static int many_get(void *self, const int64_t *index, size_t n, struct sample *out, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        int rc = fixture_get(self, index[i], &out[i], err);
        if (rc)
            return rc;
    }
    atomic_fetch_add(&made->n, 1);
    return 0;
}

static void a_dataset_that_takes_whole_batches_is_asked_once_a_batch(void **state)
{
    (void)state;
    made = share(4096);
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    ds.get_many = many_get;
    for (int workers = 0; workers < 3; workers++) {
        atomic_store(&made->n, 0);
        struct loader *l =
            must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers, .batch_size = 4});
        struct loader_iter *it = must_open(l);
        int64_t values[10], n = 0;
        assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
        assert_int_equal(n, 10);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(values[i], i);
        assert_int_equal(atomic_load(&made->n), 3);
        loader_iter_close(it);
        loader_destroy(l);
    }
    munmap(made, 4096);
}

/* ---- samples of all sizes, batches of all sizes ---- */

static int sized_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    out->bytes = (size_t)index % (out->capacity + 1);
    memset(out->data, (int)index, out->bytes);
    return 0;
}

static void samples_may_have_any_size_up_to_their_room_and_lie_aligned(void **state)
{
    (void)state;
    static struct fixture f = {.n = 300};
    struct dataset ds = {.name = "sized", .self = &f, .len = fixture_len, .get = sized_get};
    for (ds.sample_bytes_max = 0; ds.sample_bytes_max < 300; ds.sample_bytes_max += 70) {
        struct loader *l =
            must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2, .batch_size = 7});
        struct loader_iter *it = must_open(l);
        const struct batch *b;
        int64_t index = 0;
        while (loader_next(it, &b, NULL) == 0) {
            for (int64_t i = 0; i < b->samples; i++, index++) {
                const unsigned char *at = b->data + b->offset[i];
                assert_int_equal((uintptr_t)at % 64, 0);
                assert_int_equal(b->bytes[i], (size_t)index % (ds.sample_bytes_max + 1));
                for (size_t k = 0; k < b->bytes[i]; k++)
                    assert_int_equal(at[k], index & 255);
            }
            loader_release(it, b);
        }
        assert_int_equal(index, 300);
        loader_iter_close(it);
        loader_destroy(l);
    }
}

static int huge_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    out->bytes = out->capacity;
    memset(out->data, (int)index + 1, out->bytes);
    return 0;
}

static void samples_of_100_mb_come_through(void **state)
{
    (void)state;
    static struct fixture f = {.n = 3};
    struct dataset ds = {
        .name = "huge", .self = &f, .sample_bytes_max = 100000000, .len = fixture_len, .get = huge_get};
    struct loader *l =
        must_create(&(struct loader_config){.dataset = &ds, .num_workers = 1, .prefetch_factor = 1});
    struct loader_iter *it = must_open(l);
    const struct batch *b;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(loader_next(it, &b, NULL), 0);
        assert_int_equal(b->bytes[0], 100000000);
        assert_int_equal(b->data[0], i + 1);
        assert_int_equal(b->data[99999999], i + 1);
        loader_release(it, b);
    }
    loader_iter_close(it);
    loader_destroy(l);
}

static void batches_of_40960_indices_work_and_an_error_in_one_does_not_hang(void **state)
{
    (void)state;
    static struct fixture f = {.n = 100000, .deed = DEED_ERROR, .at = 50000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l =
        must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2, .batch_size = 40960});
    struct loader_iter *it = must_open(l);
    const struct batch *b;
    assert_int_equal(loader_next(it, &b, NULL), 0);
    assert_int_equal(b->samples, 40960);
    assert_int_equal(value_at(b, 40959), 40959);
    loader_release(it, b);
    assert_int_equal(loader_next(it, &b, NULL), -EILSEQ);
    assert_int_equal(loader_next(it, &b, NULL), 0);
    assert_int_equal(b->samples, 100000 - 2 * 40960);
    loader_iter_close(it);
    loader_destroy(l);
}

static void with_batching_off_each_index_is_a_batch_and_a_list_sampler_loads_in_bulk(void **state)
{
    (void)state;
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct sampler_params inner_params = {.n = 10}, params = {.batch_size = 4};
    struct sampler *inner, *lists;
    assert_int_equal(sampler_create("sequential", &inner_params, &inner, NULL), 0);
    params.inner = inner;
    assert_int_equal(sampler_create("batch", &params, &lists, NULL), 0);
    for (int workers = 0; workers < 3; workers++)
        for (int bulk = 0; bulk < 2; bulk++) {
            struct loader *l = must_create(&(struct loader_config){.dataset = &ds,
                                                                   .num_workers = workers,
                                                                   .batch_size = LOADER_BATCHING_OFF,
                                                                   .sampler = bulk ? lists : NULL});
            struct loader_iter *it = must_open(l);
            const struct batch *b;
            int64_t batches = 0, samples = 0;
            for (; loader_next(it, &b, NULL) == 0; batches++) {
                samples += b->samples;
                loader_release(it, b);
            }
            assert_int_equal(samples, 10);
            assert_int_equal(batches, bulk ? 3 : 10);
            loader_iter_close(it);
            loader_destroy(l);
        }
    sampler_destroy(lists);
    sampler_destroy(inner);
}

/* A caller's own batch sampler, with batches of 1, 2, 3, ... */
struct growing {
    int64_t at, size;
};

static int64_t growing_len(void *self)
{
    (void)self;
    return 4;
}

static int growing_open(void *self, struct generator *g, void **epoch, struct err *err)
{
    (void)g;
    (void)err;
    *(struct growing *)self = (struct growing){0, 1};
    *epoch = self;
    return 0;
}

static int64_t growing_read(void *epoch, int64_t *out, int64_t max, struct err *err)
{
    struct growing *g = epoch;
    if (g->size > max)
        return max == 5 ? err_set(err, -ERANGE, "batches grew too large") : 0;
    for (int64_t i = 0; i < g->size; i++)
        out[i] = g->at++;
    return g->size++;
}

static void a_custom_batch_sampler_gives_batches_of_its_own_sizes_and_errors(void **state)
{
    (void)state;
    static struct fixture f = {.n = 100, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct growing self;
    struct sampler custom = {
        .name = "growing", .self = &self, .len = growing_len, .open = growing_open, .read = growing_read};
    for (int workers = 0; workers < 4; workers++)
        for (custom.batch_max = 4; custom.batch_max < 6; custom.batch_max++) {
            struct loader *l = must_create(
                &(struct loader_config){.dataset = &ds, .num_workers = workers, .batch_sampler = &custom});
            struct loader_iter *it = must_open(l);
            struct err err = {0};
            const struct batch *b;
            int64_t size = 0;
            int rc;
            while ((rc = loader_next(it, &b, &err)) == 0) {
                assert_int_equal(b->samples, ++size);
                loader_release(it, b);
            }
            assert_int_equal(size, custom.batch_max);
            assert_int_equal(rc, custom.batch_max == 5 ? -ERANGE : -ENODATA);
            assert_true(rc == -ENODATA || strstr(err.text, "after batch 4: batches grew too large"));
            loader_iter_close(it);
            loader_destroy(l);
        }
}

/* ---- streams ---- */

/* The order of a stream by its law: for round k, for each worker in turn, its batch k if it has one. */
static int64_t by_law(const int64_t *length, int workers, int64_t size, bool drop_last, int64_t *values)
{
    int64_t n = 0;
    for (int64_t k = 0, any = 1; any; k++) {
        any = 0;
        for (int w = 0; w < workers; w++) {
            int64_t left = length[w] - k * size, take = left < size ? left : size;
            if (take <= 0 || (take < size && drop_last))
                continue;
            any = 1;
            for (int64_t i = 0; i < take; i++)
                values[n++] = w * 1000 + k * size + i;
        }
    }
    return n;
}

static const int64_t *lengths;

static int unequal_next(void *replica, struct sample *out, struct err *err)
{
    struct fixture_replica *r = replica;
    int id = loader_worker_info()->id;
    if (r->at == lengths[id])
        return 0;
    if ((r->at * 7 + id * 3) % 11 == 0) /* some schedule or other */
        clock_sleep_ns(100000);
    int rc = fixture_write(r->f, id * 1000 + r->at++, out, err);
    return rc ? rc : 1;
}

static void check_law(int workers, int64_t size, bool drop_last, const int64_t *length, bool threads)
{
    static struct fixture f = {.n = 1, .in_worker = -1};
    struct dataset ds = fixture_stream(&f);
    ds.next = unequal_next;
    lengths = length;
    struct loader_config cfg = {.dataset = &ds,
                                .num_workers = workers,
                                .batch_size = size,
                                .drop_last = drop_last,
                                .backend = threads ? LOADER_BACKEND_THREAD : LOADER_BACKEND_PROCESS,
                                .prefetch_factor = 1 + (int)(size % 3)};
    struct loader *l = must_create(&cfg);
    int64_t expected[500], values[500], n = 0, wanted = by_law(length, workers, size, drop_last, expected);
    for (int epoch = 0; epoch < 1; epoch++) {
        struct loader_iter *it = must_open(l);
        assert_int_equal(collect(it, 1000, values, &n, NULL), -ENODATA);
        loader_iter_close(it);
    }
    loader_destroy(l);
    assert_int_equal(n, wanted);
    assert_memory_equal(values, expected, (size_t)n * sizeof *values);
}

static void a_streams_order_follows_its_law_whatever_the_schedule(void **state)
{
    (void)state;
    struct generator g;
    generator_seed(&g, 12);
    for (int i = 0; i < 150; i++) {
        int64_t length[5];
        int workers = (int)generator_below(&g, 5) + 1;
        for (int w = 0; w < 5; w++)
            length[w] = generator_below(&g, 20);
        check_law(workers, generator_below(&g, 6) + 1, i & 1, length, i & 2);
    }
    const int64_t published[3] = {0, 4, 20};
    int64_t values[100];
    assert_int_equal(by_law(published, 3, 7, false, values), 24);
    assert_int_equal(by_law(published, 3, 7, true, values), 14);
    check_law(3, 7, false, published, false);
    check_law(3, 7, true, published, false);
}

struct warnings {
    int n;
    char all[2048];
};

static void note(void *arg, const char *text)
{
    struct warnings *w = arg;
    w->n++;
    strncat(w->all, text, sizeof w->all - strlen(w->all) - 1);
}

static int64_t stream_len(void *self)
{
    return ((struct fixture *)self)->n;
}

static void a_stream_longer_than_its_length_is_warned_of_once_somebody_asked(void **state)
{
    (void)state;
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = fixture_stream(&f);
    ds.len = stream_len;
    for (int asked = 0; asked < 2; asked++) {
        struct warnings w = {0};
        struct loader *l = must_create(&(struct loader_config){
            .dataset = &ds, .num_workers = 2, .batch_size = 3, .warn = note, .warn_arg = &w});
        struct loader_iter *it = must_open(l);
        int64_t values[20], n = 0, len;
        if (asked)
            assert_int_equal(loader_len(l, &len, NULL), 0);
        assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
        assert_int_equal(n, 20);
        assert_true((strstr(w.all, "was reported to be 10, but 12 samples") != NULL) == (asked == 1));
        loader_iter_close(it);
        loader_destroy(l);
    }
}

static void a_streams_length_ignores_the_workers(void **state)
{
    (void)state;
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = fixture_stream(&f);
    struct loader *l =
        must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2, .batch_size = 4});
    int64_t len;
    assert_int_equal(loader_len(l, &len, NULL), -EOPNOTSUPP);
    loader_destroy(l);
    ds.len = stream_len;
    for (int drop = 0; drop < 2; drop++) {
        l = must_create(
            &(struct loader_config){.dataset = &ds, .num_workers = 2, .batch_size = 4, .drop_last = drop});
        assert_int_equal(loader_len(l, &len, NULL), 0);
        assert_int_equal(len, drop ? 2 : 3);
        loader_destroy(l);
    }
}

static void what_drop_last_takes_from_a_stream_is_warned_of(void **state)
{
    (void)state;
    static struct fixture f = {.n = 3, .in_worker = -1};
    struct dataset ds = fixture_stream(&f);
    for (int workers = 0; workers < 3; workers += 2) {
        struct warnings w = {0};
        struct loader *l = must_create(&(struct loader_config){.dataset = &ds,
                                                               .num_workers = workers,
                                                               .batch_size = 4,
                                                               .drop_last = true,
                                                               .warn = note,
                                                               .warn_arg = &w});
        struct loader_iter *it = must_open(l);
        int64_t values[10], n = 0;
        assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
        assert_int_equal(n, 0);
        assert_non_null(strstr(w.all, "the epoch has no batch at all"));
        assert_true((strstr(w.all, "dropped all 3 samples of worker 0") != NULL) == (workers == 2));
        loader_iter_close(it);
        loader_destroy(l);
    }
}

/* ---- persistent workers ---- */

static void persistent_workers_stay_the_same_processes(void **state)
{
    (void)state;
    static struct fixture f = {.n = 10, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    for (int persistent = 0; persistent < 2; persistent++) {
        struct loader *l = must_create(
            &(struct loader_config){.dataset = &ds, .num_workers = 2, .persistent_workers = persistent});
        pid_t pids[2][2];
        for (int epoch = 0; epoch < 2; epoch++) {
            struct loader_iter *it = must_open(l);
            int64_t values[10], n = 0;
            collect(it, 100, values, &n, NULL);
            assert_int_equal(loader_iter_pids(it, pids[epoch], 2), 2);
            loader_iter_close(it);
        }
        assert_int_equal(memcmp(pids[0], pids[1], sizeof pids[0]) == 0, persistent);
        loader_destroy(l);
        assert_false(has_children());
    }
}

static void persistent_workers_start_afresh_after_an_early_break(void **state)
{
    (void)state;
    static struct fixture f = {.n = 20, .in_worker = -1};
    for (int stream = 0; stream < 2; stream++)
        for (int backend = 0; backend < 2; backend++) {
            struct dataset ds = stream ? fixture_stream(&f) : fixture_map(&f);
            struct loader_config cfg = {.dataset = &ds,
                                        .num_workers = 2,
                                        .batch_size = 3,
                                        .persistent_workers = true,
                                        .backend = (enum loader_backend)backend};
            struct loader *l = must_create(&cfg);
            for (int64_t taken = 0; taken < 8; taken++) {
                struct loader_iter *it = must_open(l);
                struct loader_iter *second;
                int64_t values[60], n = 0;
                assert_int_equal(loader_iter_open(l, &second, NULL), -EBUSY);
                assert_int_equal(collect(it, taken, values, &n, NULL), 0);
                loader_iter_close(it);
                it = must_open(l);
                n = 0;
                assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
                assert_int_equal(n, stream ? 40 : 20);
                assert_int_equal(values[0], 0);
                loader_iter_close(it);
            }
            loader_destroy(l);
        }
}

struct stateful {
    int64_t n, gets;
};

static int64_t stateful_len(void *self)
{
    return ((struct stateful *)self)->n;
}

static int stateful_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    struct stateful *s = self;
    (void)index;
    (void)err;
    s->gets++;
    memcpy(out->data, &s->gets, sizeof s->gets);
    out->bytes = sizeof s->gets;
    return 0;
}

static void a_persistent_workers_dataset_keeps_its_memory(void **state)
{
    (void)state;
    for (int persistent = 0; persistent < 2; persistent++) {
        static struct stateful s;
        s = (struct stateful){.n = 5};
        struct dataset ds = {
            .name = "stateful", .self = &s, .sample_bytes_max = 8, .len = stateful_len, .get = stateful_get};
        struct loader *l = must_create(
            &(struct loader_config){.dataset = &ds, .num_workers = 1, .persistent_workers = persistent});
        int64_t values[10], n = 0;
        for (int epoch = 0; epoch < 2; epoch++) {
            struct loader_iter *it = must_open(l);
            collect(it, 100, values, &n, NULL);
            loader_iter_close(it);
        }
        assert_int_equal(values[9], persistent ? 10 : 5);
        assert_int_equal(s.gets, 0); /* the worker's copy counted */
        loader_destroy(l);
    }
}

static void leaving_early_ends_everything(void **state)
{
    (void)state;
    static struct fixture f = {.n = 1000, .in_worker = -1};
    int before = open_descriptors();
    for (int stream = 0; stream < 2; stream++)
        for (int workers = 0; workers < 3; workers++)
            for (int64_t taken = 0; taken < 4; taken++) {
                struct dataset ds = stream ? fixture_stream(&f) : fixture_map(&f);
                struct loader *l =
                    must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers});
                struct loader_iter *it = must_open(l);
                int64_t values[10], n = 0;
                collect(it, taken, values, &n, NULL);
                loader_iter_close(it);
                loader_destroy(l);
                assert_false(has_children());
            }
    assert_int_equal(open_descriptors(), before);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(eight_samples_of_seed_0_come_in_the_published_order),
        cmocka_unit_test(batch_i_is_made_by_worker_i_modulo_their_number),
        cmocka_unit_test(the_generator_ends_the_same_whatever_the_worker_count),
        cmocka_unit_test(a_loader_that_is_merely_iterated_leaves_another_ones_shuffle_alone),
        cmocka_unit_test(two_iterators_of_one_loader_are_independent),
        cmocka_unit_test(workers_run_ahead_by_the_prefetch_factor_and_no_further),
        cmocka_unit_test(out_of_order_a_slow_sample_holds_nobody_up),
        cmocka_unit_test(the_waits_by_cause_add_up_and_a_head_of_line_wait_is_told),
        cmocka_unit_test(item_times_are_taken_when_asked_for),
        cmocka_unit_test(a_worker_knows_who_it_is_and_the_consumer_is_none),
        cmocka_unit_test(a_hook_may_set_another_seed_and_another_affinity),
        cmocka_unit_test(the_per_sample_stream_survives_a_change_of_the_worker_count),
        cmocka_unit_test(a_dataset_that_takes_whole_batches_is_asked_once_a_batch),
        cmocka_unit_test(samples_may_have_any_size_up_to_their_room_and_lie_aligned),
        cmocka_unit_test(samples_of_100_mb_come_through),
        cmocka_unit_test(batches_of_40960_indices_work_and_an_error_in_one_does_not_hang),
        cmocka_unit_test(with_batching_off_each_index_is_a_batch_and_a_list_sampler_loads_in_bulk),
        cmocka_unit_test(a_custom_batch_sampler_gives_batches_of_its_own_sizes_and_errors),
        cmocka_unit_test(a_streams_order_follows_its_law_whatever_the_schedule),
        cmocka_unit_test(a_stream_longer_than_its_length_is_warned_of_once_somebody_asked),
        cmocka_unit_test(a_streams_length_ignores_the_workers),
        cmocka_unit_test(what_drop_last_takes_from_a_stream_is_warned_of),
        cmocka_unit_test(persistent_workers_stay_the_same_processes),
        cmocka_unit_test(persistent_workers_start_afresh_after_an_early_break),
        cmocka_unit_test(a_persistent_workers_dataset_keeps_its_memory),
        cmocka_unit_test(leaving_early_ends_everything),
    };
    return CASES(cases);
}
