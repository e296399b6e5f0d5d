/* Walks the table of kernels: every entry against its reference, and twins that must fail. */
#include "kernels/verify.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/blas.h"
#include "kernels/chain.h"
#include "testing/cmocka.h"

static void every_kernel_agrees_with_its_reference(void **state)
{
    (void)state;
    kernel_blas_set_threads(2);
    for (int i = 0; i < kernel_list_n; i++) {
        struct kernel_verdict v;
        struct err err = {0};
        int rc = kernel_verify(kernel_list[i], &(struct kernel_verify_options){.seed = 1}, &v, &err);
        if (rc || v.wrong)
            fail_msg("%s: %s %s", kernel_list[i]->name, err.text, v.where);
        assert_true(v.shapes >= kernel_list[i]->cases_n);
    }
}

static void every_entry_says_all_that_list_shows(void **state)
{
    (void)state;
    for (int i = 0; i < kernel_list_n; i++) {
        const struct kernel *k = kernel_list[i], *found;
        assert_true(k->name && k->help && k->takes && k->gives && k->formula && k->source && k->blas);
        assert_true(k->plan && k->run);
        assert_true((k->reference && k->cases_n > 0) || !strcmp(k->name, "plugin")); /* the user's own */
        assert_int_equal(kernel_find(k->name, &found, NULL), 0);
        assert_ptr_equal(found, k);
        for (int a = 0; a < k->args_n; a++) {
            assert_true(k->args[a].name && k->args[a].help);
            assert_true(k->args[a].kind != KERNEL_ARG_DIMS || k->args[a].dims_max > 0);
        }
    }
}

static void every_kernel_refuses_a_scalar_or_takes_it_without_harm(void **state)
{
    (void)state;
    for (int i = 0; i < kernel_list_n; i++) {
        struct tensor_shape in = {.ndim = 4, .dim = {1, 2, 1, 2}};
        struct kernel_chain *c;
        struct err err = {0};
        int rc = kernel_chain_create(kernel_list[i]->name, &in, &c, &err);
        if (rc)
            assert_non_null(strstr(err.text, kernel_list[i]->name));
        kernel_chain_destroy(c);
    }
}

static void random_kernels_depend_on_the_stream_alone(void **state)
{
    (void)state;
    for (int i = 0; i < kernel_list_n; i++) {
        struct tensor_shape in = {.dtype = TENSOR_F32, .ndim = 3, .dim = {40, 24, 3}};
        struct kernel_chain *c;
        if (!kernel_list[i]->random)
            continue;
        if (!strcmp(kernel_list[i]->name, "rotate"))
            in = (struct tensor_shape){.dtype = TENSOR_F32, .ndim = 2, .dim = {960, 3}};
        const char *text = !strcmp(kernel_list[i]->name, "crop") ? "crop=5:random" : kernel_list[i]->name;
        struct err err = {0};
        if (kernel_chain_create(text, &in, &c, &err))
            fail_msg("%s", err.text);
        size_t bytes = tensor_bytes(kernel_chain_output(c));
        float *data = malloc(tensor_bytes(&in)), *out[12];
        for (int64_t j = 0; j < tensor_elements(&in); j++)
            data[j] = (float)(j % 251);
        int different = 0;
        for (int j = 0; j < 12; j++) {
            struct counter_rng rng;
            counter_rng_init(&rng, 7, 1, (uint64_t)(j % 6)); /* 0 to 5, and again */
            out[j] = malloc(bytes);
            struct tensor to = {.data = out[j]};
            assert_int_equal(kernel_chain_run(c, &(struct tensor){in, data}, &to, &rng, NULL), 0);
            if (j >= 6)
                assert_memory_equal(out[j], out[j - 6], bytes);
            else
                different += memcmp(out[j], out[0], bytes) != 0;
        }
        assert_true(different > 0);
        for (int j = 0; j < 12; j++)
            free(out[j]);
        free(data);
        kernel_chain_destroy(c);
    }
}

static const struct kernel *sound;

static int run_with_one_bit_off(const struct kernel_plan *p, const void *in, void *out,
                                struct counter_rng *rng, struct err *err)
{
    int rc = sound->run(p, in, out, rng, err);
    float *y = out;
    int64_t last = tensor_elements(&p->out) - 1;
    y[last] += fabsf(y[last]) * 1e-3F + 1e-3F;
    return rc;
}

static int run_into_the_void(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
                             struct err *err)
{
    int rc = sound->run(p, in, out, rng, err);
    ((float *)out)[tensor_elements(&p->out)] = 0;
    return rc;
}

static int run_not_at_all(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
                          struct err *err)
{
    (void)p, (void)in, (void)out, (void)rng, (void)err;
    return 0;
}

static void a_kernel_that_is_wrong_is_caught(void **state)
{
    (void)state;
    assert_int_equal(kernel_find("gemm", &sound, NULL), 0);
    int (*const twins[])(const struct kernel_plan *, const void *, void *, struct counter_rng *,
                         struct err *) = {run_with_one_bit_off, run_into_the_void, run_not_at_all};
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++) {
        struct kernel broken = *sound;
        broken.run = twins[i];
        struct kernel_verdict v;
        assert_int_equal(kernel_verify(&broken, &(struct kernel_verify_options){.seed = 1}, &v, NULL), 0);
        assert_true(v.wrong);
        assert_true(v.ratio > 1);
    }
}

static void spin_takes_cpu_time_and_sleep_leaves_it(void **state)
{
    (void)state;
    struct tensor_shape in = {.dtype = TENSOR_U8, .ndim = 1, .dim = {1}};
    struct kernel_chain *spin, *nap;
    assert_int_equal(kernel_chain_create("spin=20ms", &in, &spin, NULL), 0);
    assert_int_equal(kernel_chain_create("sleep=20ms", &in, &nap, NULL), 0);
    unsigned char byte = 1, copy;
    struct tensor out = {.data = &copy};
    struct timespec a, b, c;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
    kernel_chain_run(spin, &(struct tensor){in, &byte}, &out, NULL, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
    kernel_chain_run(nap, &(struct tensor){in, &byte}, &out, NULL, NULL);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &c);
    long spun = (b.tv_sec - a.tv_sec) * 1000000000L + b.tv_nsec - a.tv_nsec;
    long napped = (c.tv_sec - b.tv_sec) * 1000000000L + c.tv_nsec - b.tv_nsec;
    assert_true(spun >= 20000000L);
    assert_true(napped < spun / 2);
    kernel_chain_destroy(spin);
    kernel_chain_destroy(nap);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(every_kernel_agrees_with_its_reference),
        cmocka_unit_test(every_entry_says_all_that_list_shows),
        cmocka_unit_test(every_kernel_refuses_a_scalar_or_takes_it_without_harm),
        cmocka_unit_test(random_kernels_depend_on_the_stream_alone),
        cmocka_unit_test(a_kernel_that_is_wrong_is_caught),
        cmocka_unit_test(spin_takes_cpu_time_and_sleep_leaves_it),
    };
    return CASES(cases);
}
