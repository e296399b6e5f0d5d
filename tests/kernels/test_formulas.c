/* Kernels against closed forms: what a reference with a wrong formula would get wrong as well. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/chain.h"
#include "testing/cmocka.h"

/* Runs a chain on f32 data. The caller frees the result. */
static float *run(const char *text, const char *shape, const float *data, uint64_t sample)
{
    struct tensor_shape in;
    struct kernel_chain *c;
    struct err err = {0};
    assert_int_equal(tensor_shape_parse("test", shape, &in, NULL), 0);
    if (kernel_chain_create(text, &in, &c, &err))
        fail_msg("%s", err.text);
    float *to = malloc(tensor_bytes(kernel_chain_output(c)));
    struct tensor out = {.data = to};
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, sample);
    assert_int_equal(kernel_chain_run(c, &(struct tensor){in, (void *)(uintptr_t)data}, &out, &rng, NULL), 0);
    kernel_chain_destroy(c);
    return to;
}

static void assert_all_near(float *got, int64_t n, double want, double tolerance)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(got[i] - want) <= tolerance))
            fail_msg("element %lld: %g, expected %g", (long long)i, (double)got[i], want);
    free(got);
}

static void a_flat_image_stays_flat_when_resized(void **state)
{
    (void)state;
    float flat[5 * 7 * 3];
    for (int i = 0; i < 105; i++)
        flat[i] = 200;
    assert_all_near(run("resize=3x11", "5x7x3", flat, 0), 3 * 11 * 3, 200, 1e-4);
    assert_all_near(run("resize=1", "5x7x3", flat, 0), 3, 200, 1e-4);
}

static void doubling_a_ramp_gives_quarters_and_clamps_at_the_ends(void **state)
{
    (void)state;
    float *y = run("resize=1x4", "1x2", (float[]){0, 4}, 0);
    const float want[] = {0, 1, 3, 4};
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(y[i] - want[i]) < 1e-6F);
    free(y);
}

static void halving_weighs_one_three_three_one(void **state)
{
    (void)state;
    float x[8] = {0, 0, 0, 8, 0, 0, 0, 0}; /* output 1 covers inputs 1 to 4 with weights 1 3 3 1 over 8 */
    float *y = run("resize=1x4", "1x8", x, 0);
    assert_true(fabsf(y[1] - 3) < 1e-6F);
    assert_true(fabsf(y[2] - 1) < 1e-6F);
    assert_true(fabsf(y[3]) < 1e-6F);
    free(y);
}

static void white_is_255_128_128_and_comes_back(void **state)
{
    (void)state;
    float *y = run("color=ycbcr", "1x2x3", (float[]){255, 255, 255, 255, 0, 0}, 0);
    const float want[] = {255, 128, 128, 76.245F, 84.97236F, 255.5F};
    for (int i = 0; i < 6; i++)
        assert_true(fabsf(y[i] - want[i]) < 1e-3F);
    free(y);
    float *again = run("color=ycbcr,color=rgb", "1x1x3", (float[]){12, 200, 77}, 0);
    assert_true(fabsf(again[0] - 12) + fabsf(again[1] - 200) + fabsf(again[2] - 77) < 1e-3F);
    free(again);
}

static void normalize_uses_the_published_statistics(void **state)
{
    (void)state;
    float *y = run("normalize", "1x1x3", (float[]){255, 0, 127.5F}, 0);
    assert_true(fabs(y[0] - (1 - 0.485) / 0.229) < 1e-6);
    assert_true(fabs(y[1] + 0.456 / 0.224) < 1e-6);
    assert_true(fabs(y[2] - (0.5 - 0.406) / 0.225) < 1e-6);
    free(y);
}

static void a_flat_block_has_only_a_dc_of_eight_times_its_level(void **state)
{
    (void)state;
    float flat[64];
    for (int i = 0; i < 64; i++)
        flat[i] = 100;
    float *y = run("dct8x8", "8x8", flat, 0);
    assert_true(fabs(y[0] + 8 * 28) < 1e-3);
    y[0] = 0;
    assert_all_near(y, 64, 0, 1e-3);
}

static void a_cosine_on_a_bin_shows_in_it_and_its_neighbours_only(void **state)
{
    (void)state;
    float x[32];
    for (int t = 0; t < 32; t++)
        x[t] = cosf(2 * (float)M_PI * 5 * (float)t / 32);
    float *y = run("stft=32x32", "32", x, 0); /* a periodic Hann window: N/4 at the bin, -N/8 beside it */
    for (int b = 0; b <= 16; b++) {
        double want = b == 5 ? 8 : b == 4 || b == 6 ? -4 : 0;
        assert_true(fabs(y[2 * b] - want) < 1e-4 && fabs(y[2 * b + 1]) < 1e-4);
    }
    free(y);
}

static void mel_triangles_peak_where_the_scale_says(void **state)
{
    (void)state;
    /* One band over 0 to 8000 Hz: its peak is at half of mel(8000) = 2840.02: 1420.01 mel = 1767.8 Hz. */
    enum { BINS = 8001 };
    static float x[BINS]; /* one bin a hertz */
    float *y;
    x[1768] = 1;
    y = run("mel=1", "1x8001", x, 0);
    assert_true(fabsf(y[0] - 1) < 1e-3F);
    free(y);
    x[1768] = 0;
    x[884] = 1; /* half way up */
    y = run("mel=1", "1x8001", x, 0);
    assert_true(fabsf(y[0] - 0.5F) < 1e-3F);
    free(y);
}

static void equal_bands_have_only_a_zeroth_coefficient(void **state)
{
    (void)state;
    float x[16];
    for (int i = 0; i < 16; i++)
        x[i] = (float)M_E;
    float *y = run("mfcc=8", "1x16", x, 0);
    assert_true(fabsf(y[0] - 4) < 1e-5F); /* 16 ones over sqrt(16) */
    y[0] = 0;
    assert_all_near(y, 8, 0, 1e-5);
}

static void resampling_keeps_a_slow_tone(void **state)
{
    (void)state;
    enum { N = 441, TO = 160 };
    float x[N];
    for (int i = 0; i < N; i++)
        x[i] = sinf(2 * (float)M_PI * 441 * (float)i / 44100); /* 441 Hz */
    float *y = run("resample=16000:44100", "441", x, 0);
    for (int i = 40; i < TO - 40; i++) /* away from the ends, where the filter sees silence */
        assert_true(fabs(y[i] - sin(2 * M_PI * 441 * i / 16000.0)) < 5e-3);
    free(y);
}

static void rotation_keeps_lengths_and_angles(void **state)
{
    (void)state;
    const float axes[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (uint64_t sample = 0; sample < 20; sample++) {
        float *r = run(sample % 2 ? "rotate=z" : "rotate", "3x3", axes, sample);
        for (int i = 0; i < 9; i++) {
            const float *a = r + i / 3 * 3, *b = r + i % 3 * 3;
            double dot = (double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2];
            assert_true(fabs(dot - (i / 3 == i % 3)) < 1e-6);
        }
        double det = (double)r[0] * (r[4] * r[8] - r[5] * r[7]) - (double)r[1] * (r[3] * r[8] - r[5] * r[6]) +
                     (double)r[2] * (r[3] * r[7] - r[4] * r[6]);
        assert_true(fabs(det - 1) < 1e-6);
        assert_true(sample % 2 == 0 || fabsf(r[8] - 1) < 1e-6F);
        free(r);
    }
}

static void an_affine_map_with_nothing_drawn_is_the_identity(void **state)
{
    (void)state;
    float x[12];
    for (int i = 0; i < 12; i++)
        x[i] = (float)i;
    float *y = run("affine=0:0:0", "3x4", x, 0);
    for (int i = 0; i < 12; i++)
        assert_true(fabsf(y[i] - x[i]) < 1e-4F);
    free(y);
}

static void flip_and_crop_move_pixels(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    float *y = run("flip=p=1,crop=1x2", "3x3", x, 0); /* row 1 reversed is 6 5 4; a crop of 2 starts at 0 */
    assert_true(y[0] == 6 && y[1] == 5);
    free(y);
}

static void a_projection_keeps_the_length_on_average(void **state)
{
    (void)state;
    float x[500];
    double length = 0, projected = 0;
    for (int i = 0; i < 500; i++) {
        x[i] = (float)((i * 37) % 11) - 5;
        length += (double)x[i] * x[i];
    }
    float *y = run("projection=2000", "500", x, 0);
    for (int i = 0; i < 2000; i++)
        projected += (double)y[i] * y[i];
    /* E = 1, deviation about sqrt(2 / 2000) = 3.2 %: five of them. */
    assert_true(fabs(projected / length - 1) < 0.16);
    free(y);
}

static void a_sample_of_another_shape_is_prepared_anew(void **state)
{
    (void)state;
    struct tensor_shape large = {.dtype = TENSOR_F32, .ndim = 2, .dim = {9, 9}}, small = large, other = large;
    small.dim[0] = 3;
    other.dim[1] = 10;
    struct kernel_chain *c;
    assert_int_equal(kernel_chain_create("flip=p=0,normalize=unit", &large, &c, NULL), 0);
    float x[90] = {255}, y[90];
    struct tensor out = {.data = y};
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, 0);
    assert_int_equal(kernel_chain_run(c, &(struct tensor){small, x}, &out, &rng, NULL), 0);
    assert_int_equal(out.shape.dim[0], 3);
    assert_true(y[0] == 1);
    struct err err = {0};
    assert_int_equal(kernel_chain_run(c, &(struct tensor){other, x}, &out, &rng, &err), -ENOBUFS);
    assert_string_equal(err.text, "the result is 9x10:f32, larger than the 9x9:f32 there is room for");
    assert_int_equal(kernel_chain_run(c, &(struct tensor){large, x}, &out, &rng, NULL), 0);
    kernel_chain_destroy(c);
}

static void a_kernel_that_may_work_in_place_gives_the_same_there(void **state)
{
    (void)state;
    float x[7 * 5 * 3], y[7 * 5 * 3];
    int tried = 0;
    for (int k = 0; k < kernel_list_n; k++) {
        if (!kernel_list[k]->in_place)
            continue;
        tried++;
        for (int i = 0; i < 105; i++)
            x[i] = (float)(i * 37 % 256);
        struct kernel_plan p = {.in = {.dtype = TENSOR_F32, .ndim = 3, .dim = {7, 5, 3}}};
        const struct kernel *found;
        assert_int_equal(kernel_parse(kernel_list[k]->name, &found, p.arg, NULL), 0);
        assert_int_equal(found->plan(&p, NULL), 0);
        assert_int_equal(tensor_bytes(&p.out), tensor_bytes(&p.in));
        struct counter_rng rng, same;
        counter_rng_init(&rng, 1, 0, 0);
        same = rng;
        assert_int_equal(found->run(&p, x, y, &rng, NULL), 0);
        assert_int_equal(found->run(&p, x, x, &same, NULL), 0);
        assert_memory_equal(x, y, sizeof x);
        if (found->free)
            found->free(p.self);
    }
    assert_true(tried >= 3);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_flat_image_stays_flat_when_resized),
        cmocka_unit_test(doubling_a_ramp_gives_quarters_and_clamps_at_the_ends),
        cmocka_unit_test(halving_weighs_one_three_three_one),
        cmocka_unit_test(white_is_255_128_128_and_comes_back),
        cmocka_unit_test(normalize_uses_the_published_statistics),
        cmocka_unit_test(a_flat_block_has_only_a_dc_of_eight_times_its_level),
        cmocka_unit_test(a_cosine_on_a_bin_shows_in_it_and_its_neighbours_only),
        cmocka_unit_test(mel_triangles_peak_where_the_scale_says),
        cmocka_unit_test(equal_bands_have_only_a_zeroth_coefficient),
        cmocka_unit_test(resampling_keeps_a_slow_tone),
        cmocka_unit_test(rotation_keeps_lengths_and_angles),
        cmocka_unit_test(an_affine_map_with_nothing_drawn_is_the_identity),
        cmocka_unit_test(flip_and_crop_move_pixels),
        cmocka_unit_test(a_projection_keeps_the_length_on_average),
        cmocka_unit_test(a_sample_of_another_shape_is_prepared_anew),
        cmocka_unit_test(a_kernel_that_may_work_in_place_gives_the_same_there),
    };
    return CASES(cases);
}
