/* Samples and batches of all sizes, and how a dataset is asked for them. */
#include "loader/dataset.h"

#include "fixture.h"

/* Counts the calls of a hook, from all workers. */
struct made {
    _Atomic int n;
};

static struct made *made;

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

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_dataset_that_takes_whole_batches_is_asked_once_a_batch),
        cmocka_unit_test(samples_may_have_any_size_up_to_their_room_and_lie_aligned),
        cmocka_unit_test(samples_of_100_mb_come_through),
        cmocka_unit_test(batches_of_40960_indices_work_and_an_error_in_one_does_not_hang),
        cmocka_unit_test(with_batching_off_each_index_is_a_batch_and_a_list_sampler_loads_in_bulk),
        cmocka_unit_test(a_custom_batch_sampler_gives_batches_of_its_own_sizes_and_errors),
    };
    return CASES(cases);
}
