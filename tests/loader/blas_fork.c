/* Workers that are forked after the consumer ran products on several BLAS threads: they compute too, and the consumer
 * still can. A program of its own, because only it here links a BLAS. */
#include <cblas.h>
#include <math.h>

#include "fixture.h"

enum { N = 160 };

static void fill(float *a, int64_t seed)
{
    for (int i = 0; i < N * N; i++)
        a[i] = (float)((i * 7 + seed * 13) % 17) - 8;
}

/* The sum over the product's diagonal, by BLAS and by hand. */
static double trace_of_product(int64_t seed)
{
    static _Thread_local float a[N * N], b[N * N], c[N * N];
    double sum = 0;
    fill(a, seed);
    fill(b, seed + 1);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, N, N, N, 1, a, N, b, N, 0, c, N);
    for (int i = 0; i < N; i++)
        sum += (double)c[i * N + i];
    return sum;
}

static double trace_by_hand(int64_t seed)
{
    static float a[N * N], b[N * N];
    double sum = 0;
    fill(a, seed);
    fill(b, seed + 1);
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            sum += (double)(a[i * N + k] * b[k * N + i]);
    return sum;
}

static int product_get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    double trace = trace_of_product(index);
    memcpy(out->data, &trace, sizeof trace);
    out->bytes = sizeof trace;
    return 0;
}

static void workers_forked_after_the_parents_blas_threads_compute_and_end(void **state)
{
    (void)state;
    static struct fixture f = {.n = 24};
    struct dataset ds = {
        .name = "products", .self = &f, .sample_bytes_max = 8, .len = fixture_len, .get = product_get};
    openblas_set_num_threads(4);
    for (int epoch = 0; epoch < 3; epoch++) {
        assert_true(fabs(trace_of_product(1) - trace_by_hand(1)) < 1e-3);
        struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = 4});
        struct loader_iter *it = must_open(l);
        struct err err = {0};
        const struct batch *b;
        int64_t n = 0;
        int rc;
        for (; (rc = loader_next(it, &b, &err)) == 0; n++) {
            double got;
            memcpy(&got, b->data, sizeof got);
            assert_true(fabs(got - trace_by_hand(n)) < 1e-3);
            loader_release(it, b);
            if (n == 12)
                assert_true(fabs(trace_of_product(3) - trace_by_hand(3)) < 1e-3); /* while they live */
        }
        if (rc != -ENODATA)
            fail_msg("%s", err.text);
        assert_int_equal(n, 24);
        loader_iter_close(it);
        loader_destroy(l);
        assert_false(has_children());
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(workers_forked_after_the_parents_blas_threads_compute_and_end),
    };
    return CASES(cases);
}
