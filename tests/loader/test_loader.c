/* What a loader delivers, in which order, by whom, and what its workers see: A4 to A6, A9 and A11 of the facts that
 * tests/loader/README.md lists. */
#include "loader/loader.h"

#include <sched.h>
#include <sys/mman.h>

#include "fixture.h"

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
    };
    return CASES(cases);
}
