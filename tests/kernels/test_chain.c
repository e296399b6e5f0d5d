#include "kernels/chain.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/blas.h"
#include "testing/cmocka.h"

static struct tensor_shape shape_of(const char *text)
{
    struct tensor_shape shape;
    assert_int_equal(tensor_shape_parse("test", text, &shape, NULL), 0);
    return shape;
}

static void assert_create_fails(const char *text, const char *shape, int code, const char *message)
{
    struct tensor_shape in = shape_of(shape);
    struct kernel_chain *c;
    struct err err = {0};
    assert_int_equal(kernel_chain_create(text, &in, &c, &err), code);
    assert_null(c);
    assert_string_equal(err.text, message);
}

static void an_empty_chain_copies_and_counts_both_ways(void **state)
{
    (void)state;
    struct tensor_shape in = shape_of("2x3:u8");
    struct kernel_chain *c;
    assert_int_equal(kernel_chain_create("", &in, &c, NULL), 0);
    unsigned char from[6] = "abcde", to[6] = "";
    struct tensor out = {.data = to};
    assert_int_equal(kernel_chain_run(c, &(struct tensor){in, from}, &out, NULL, NULL), 0);
    assert_memory_equal(from, to, 6);
    assert_true(tensor_shape_equal(&out.shape, &in));
    assert_true(kernel_chain_work(c).bytes == 12);
    kernel_chain_destroy(c);
}

static void two_products_in_a_row_are_one_after_the_other(void **state)
{
    (void)state;
    struct tensor_shape in = shape_of("5x7");
    struct kernel_chain *both, *first, *second;
    assert_int_equal(kernel_chain_create("gemm=5x7x3,gemm=5x3x4", &in, &both, NULL), 0);
    assert_int_equal(kernel_chain_create("gemm=5x7x3", &in, &first, NULL), 0);
    assert_int_equal(kernel_chain_create("gemm=5x3x4", kernel_chain_output(first), &second, NULL), 0);
    assert_true(kernel_chain_work(both).flops == 2 * 5 * 7 * 3 + 2 * 5 * 3 * 4);
    float a[35], middle[15], one[20], two[20];
    for (int i = 0; i < 35; i++)
        a[i] = (float)i - 17;
    struct tensor m = {.data = middle}, o = {.data = one}, t = {.data = two};
    assert_int_equal(kernel_chain_run(both, &(struct tensor){in, a}, &o, NULL, NULL), 0);
    assert_int_equal(kernel_chain_run(first, &(struct tensor){in, a}, &m, NULL, NULL), 0);
    assert_int_equal(kernel_chain_run(second, &m, &t, NULL, NULL), 0);
    assert_memory_equal(one, two, sizeof one);
    kernel_chain_destroy(both);
    kernel_chain_destroy(first);
    kernel_chain_destroy(second);
}

/* The chain's result against that of chains of one step each. */
static void assert_joined(const char *chain, const char *const *step, const char *shape)
{
    struct tensor_shape in = shape_of(shape);
    static unsigned char pixels[64 * 64 * 4];
    static float got[64 * 64 * 4], each[2][64 * 64 * 4];
    struct kernel_chain *c;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 37 % 251);
    struct tensor out = {.data = got}, from = {in, pixels};
    assert_int_equal(kernel_chain_create(chain, &in, &c, NULL), 0);
    assert_int_equal(kernel_chain_run(c, &from, &out, NULL, NULL), 0);
    kernel_chain_destroy(c);
    for (int i = 0; step[i]; i++) {
        struct tensor to = {.data = each[i % 2]};
        assert_int_equal(kernel_chain_create(step[i], &from.shape, &c, NULL), 0);
        assert_int_equal(kernel_chain_run(c, &from, &to, NULL, NULL), 0);
        kernel_chain_destroy(c);
        from = to;
    }
    assert_true(tensor_shape_equal(&out.shape, &from.shape));
    assert_memory_equal(got, from.data, tensor_bytes(&out.shape));
}

static void steps_joined_to_a_resize_give_the_same_bits(void **state)
{
    (void)state;
    assert_joined("resize=13x29,normalize", (const char *[]){"resize=13x29", "normalize", NULL},
                  "17x31x3:u8");
    assert_joined("resize=40x29,normalize", (const char *[]){"resize=40x29", "normalize", NULL},
                  "17x31x3:u8");
    assert_joined("resize=31,normalize=unit,normalize=half",
                  (const char *[]){"resize=31", "normalize=unit", "normalize=half", NULL}, "9x7:u8");
    assert_joined("resize=20,normalize,resize=7",
                  (const char *[]){"resize=20", "normalize", "resize=7", NULL}, "40x50x3:u8");
    assert_joined("normalize,resize=20", (const char *[]){"normalize", "resize=20", NULL}, "40x50x3:u8");
}

/* More shapes than plans are kept, in an order in which some come back soon and some late. */
static void a_shape_that_comes_back_gives_the_same_bits(void **state)
{
    (void)state;
    static unsigned char pixels[40 * 40 * 3];
    static float got[12 * 12 * 3], want[12 * 12 * 3];
    struct tensor_shape largest = shape_of("40x40x3:u8");
    struct kernel_chain *c, *fresh;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (unsigned char)(i * 41 % 253);
    assert_int_equal(kernel_chain_create("resize=12,normalize", &largest, &c, NULL), 0);
    for (int i = 0; i < 60; i++) {
        struct tensor_shape in = largest;
        in.dim[0] = 10 + (i % 3 ? i % 5 : i) % 30;
        in.dim[1] = 40 - i % 2;
        struct tensor out = {.data = got}, expected = {.data = want};
        assert_int_equal(kernel_chain_run(c, &(struct tensor){in, pixels}, &out, NULL, NULL), 0);
        assert_int_equal(kernel_chain_create("resize=12,normalize", &in, &fresh, NULL), 0);
        assert_int_equal(kernel_chain_run(fresh, &(struct tensor){in, pixels}, &expected, NULL, NULL), 0);
        kernel_chain_destroy(fresh);
        assert_memory_equal(got, want, sizeof got);
    }
    kernel_chain_destroy(c);
}

static void repeat_leaves_results_and_draws_as_they_are(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"lighting,lighting", "lighting,repeat=2.5,lighting"},
        {"flip=p=0.5,normalize,flip", "flip=p=0.5,normalize,repeat=2,flip,repeat=3"}};
    struct tensor_shape in = shape_of("4x5x3:u8");
    unsigned char from[60];
    for (int i = 0; i < 60; i++)
        from[i] = (unsigned char)(4 * i);
    for (int t = 0; t < 2; t++)
        for (unsigned sample = 0; sample < 5; sample++) {
            float result[2][60];
            for (int k = 0; k < 2; k++) {
                struct kernel_chain *c;
                struct counter_rng rng;
                counter_rng_init(&rng, 1, 0, sample);
                struct tensor out = {.data = result[k]};
                assert_int_equal(kernel_chain_create(texts[t][k], &in, &c, NULL), 0);
                assert_int_equal(kernel_chain_run(c, &(struct tensor){in, from}, &out, &rng, NULL), 0);
                kernel_chain_destroy(c);
            }
            assert_memory_equal(result[0], result[1], sizeof result[0]);
        }
}

/* CPU time of this thread for so many runs of a chain: that of the process holds a pool that still spins. */
static double cpu_ns_once(const char *text, int runs)
{
    struct tensor_shape in = shape_of("1:u8");
    struct kernel_chain *c;
    assert_int_equal(kernel_chain_create(text, &in, &c, NULL), 0);
    unsigned char byte = 1, copy;
    struct tensor out = {.data = &copy};
    struct timespec from, to;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (int i = 0; i < runs; i++)
        assert_int_equal(kernel_chain_run(c, &(struct tensor){in, &byte}, &out, NULL, NULL), 0);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    kernel_chain_destroy(c);
    return (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
}

/* A spin never takes less than it says, but a busy host makes it take more: the least of some. */
static double cpu_ns(const char *text, int runs)
{
    double least = cpu_ns_once(text, runs);
    for (int i = 0; i < 6; i++)
        least = fmin(least, cpu_ns_once(text, runs));
    return least;
}

static void repeat_counts_in_the_work_declared(void **state)
{
    (void)state;
    struct tensor_shape in = shape_of("4x4");
    struct kernel_chain *c;
    assert_int_equal(kernel_chain_create("gemm=4,repeat=2.5,gemm=4", &in, &c, NULL), 0);
    assert_true(kernel_chain_work(c).flops == 3.5 * 2 * 4 * 4 * 4);
    kernel_chain_destroy(c);
}

static void repeat_runs_what_is_before_it_so_often(void **state)
{
    (void)state;
    double plain = cpu_ns("spin=1ms", 12);
    assert_true(fabs(cpu_ns("spin=1ms,repeat=2", 12) / plain - 2) < 0.1);
    assert_true(fabs(cpu_ns("spin=1ms,repeat=1.25", 12) / plain - 1.25) < 0.06);
    assert_true(fabs(cpu_ns("spin=1ms,repeat=1.5", 1) / plain - 1.0 / 12) <
                0.01); /* the half is still to come */
    assert_true(fabs(cpu_ns("spin=500us,repeat=2,spin=1ms,repeat=1.5", 12) / plain - 3) < 0.15);
}

static void integers_are_converted_on_the_way_in(void **state)
{
    (void)state;
    struct tensor_shape u8 = shape_of("1x2:u8"), f32 = shape_of("1x2"), i16 = shape_of("1x2:i16");
    struct kernel_chain *c, *plain;
    assert_int_equal(kernel_chain_create("gemm=1x2x1", &u8, &c, NULL), 0);
    assert_int_equal(kernel_chain_create("gemm=1x2x1", &f32, &plain, NULL), 0);
    float got, want, values[] = {200, 7}, halves[] = {-1, 0.5F};
    struct tensor out = {.data = &got}, expected = {.data = &want};
    kernel_chain_run(c, &(struct tensor){u8, (unsigned char[]){200, 7}}, &out, NULL, NULL);
    kernel_chain_run(plain, &(struct tensor){f32, values}, &expected, NULL, NULL);
    assert_true(got == want);
    kernel_chain_run(c, &(struct tensor){i16, (int16_t[]){-32768, 16384}}, &out, NULL, NULL);
    kernel_chain_run(plain, &(struct tensor){f32, halves}, &expected, NULL, NULL);
    assert_true(got == want);
    kernel_chain_destroy(c);
    kernel_chain_destroy(plain);
}

static void what_is_wrong_with_a_chain_is_named(void **state)
{
    (void)state;
    assert_create_fails("gem", "1x1", -EINVAL, "unknown kernel 'gem': did you mean 'gemm'?");
    assert_create_fails("quux=3", "1x1", -EINVAL, "unknown kernel 'quux': `loaderbench list` shows all");
    assert_create_fails("resize=4,decode", "1x1", -EINVAL, "decode goes first, and only with images and tar");
    assert_create_fails("gemm=4", "7x5", -EINVAL, "gemm=4: takes 4x4:f32, but gets 7x5:f32");
    assert_create_fails("gemm=7x5,gemm=3", "7x5", -EINVAL, "gemm=3: takes 3x3:f32, but gets 7x5:f32");
    assert_create_fails("gemm=0", "7x5", -ERANGE, "gemm:size: 0 is outside 1 to 32768");
    assert_create_fails("gemm=3x", "7x5", -EINVAL,
                        "gemm:size: '3x' is not 1 to 3 whole numbers with x between");
    assert_create_fails("gemm=", "1x1", -EINVAL, "gemm:size: '' is not 1 to 3 whole numbers with x between");
    assert_create_fails("resize=", "1x1", -EINVAL,
                        "resize:size: '' is not 1 to 2 whole numbers with x between");
    assert_create_fails("linear=", "1x1", -EINVAL, "linear:out: '' is not a whole number");
    assert_create_fails("gemm=3:4", "7x5", -EINVAL, "gemm takes 1 argument: '4' is too many");
    assert_create_fails("gemm=side=4", "7x5", -EINVAL, "gemm has no argument 'side'");
    assert_create_fails("gemm=4,", "4x4", -EINVAL,
                        "'gemm=4,' is not a list of kernels (such as resize=224,normalize)");
}

static void the_first_kernel_may_say_what_it_wants(void **state)
{
    (void)state;
    struct tensor_shape in;
    char text[TENSOR_TEXT];
    assert_int_equal(kernel_chain_default_input("gemm", &in, NULL), 0);
    assert_string_equal(tensor_shape_format(text, &in), "768x768:f32");
    assert_int_equal(kernel_chain_default_input("gemm=3x4x5", &in, NULL), 0);
    assert_string_equal(tensor_shape_format(text, &in), "3x4:f32");
    assert_int_equal(kernel_chain_default_input("", &in, NULL), -ENODATA);
    assert_int_equal(kernel_chain_default_input("gem=3", &in, NULL), -EINVAL);
}

static void blas_tells_its_core_and_threading(void **state)
{
    (void)state;
    struct kernel_blas_info info;
    kernel_blas_set_threads(1);
    kernel_blas_info(&info);
    assert_int_equal(info.threads, 1);
    assert_non_null(strstr(info.config, "OpenBLAS"));
    assert_true(strlen(info.core) > 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(an_empty_chain_copies_and_counts_both_ways),
        cmocka_unit_test(two_products_in_a_row_are_one_after_the_other),
        cmocka_unit_test(steps_joined_to_a_resize_give_the_same_bits),
        cmocka_unit_test(a_shape_that_comes_back_gives_the_same_bits),
        cmocka_unit_test(repeat_leaves_results_and_draws_as_they_are),
        cmocka_unit_test(repeat_counts_in_the_work_declared),
        cmocka_unit_test(repeat_runs_what_is_before_it_so_often),
        cmocka_unit_test(integers_are_converted_on_the_way_in),
        cmocka_unit_test(what_is_wrong_with_a_chain_is_named),
        cmocka_unit_test(the_first_kernel_may_say_what_it_wants),
        cmocka_unit_test(blas_tells_its_core_and_threading),
    };
    return CASES(cases);
}
