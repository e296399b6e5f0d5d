/* Streams and their order, and workers that stay from epoch to epoch. */
#include "loader/loader.h"

#include "fixture.h"

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
