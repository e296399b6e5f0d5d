#include <errno.h>
#include <string.h>

#include "datasets/source.h"
#include "testing/cmocka.h"

static void assert_open_fails(const char *spec, const char *transform, int code, const char *message)
{
    struct data_source *s;
    struct err err = {0};
    assert_int_equal(data_source_open(&(struct data_config){.spec = spec, .transform = transform}, &s, &err),
                     code);
    assert_null(s);
    assert_string_equal(err.text, message);
}

static void samples_come_from_the_seed_and_cost_a_pointer(void **state)
{
    (void)state;
    struct data_source *one, *two, *other;
    struct data_config cfg = {.spec = "synthetic:10:7x5", .seed = 3};
    assert_int_equal(data_source_open(&cfg, &one, NULL), 0);
    assert_int_equal(data_source_open(&cfg, &two, NULL), 0);
    cfg.seed = 4;
    assert_int_equal(data_source_open(&cfg, &other, NULL), 0);
    struct data_reader *r1, *r2, *r3;
    data_reader_open(one, 0, 1, &r1, NULL);
    data_reader_open(two, 0, 1, &r2, NULL);
    data_reader_open(other, 0, 1, &r3, NULL);
    struct tensor a, again, b, c;
    assert_int_equal(data_reader_get(r1, 9, &a, NULL), 0);
    assert_int_equal(data_reader_get(r1, 9, &again, NULL), 0);
    assert_int_equal(data_reader_get(r2, 9, &b, NULL), 0);
    assert_int_equal(data_reader_get(r3, 9, &c, NULL), 0);
    assert_ptr_equal(a.data, again.data);
    assert_int_equal((uintptr_t)a.data % 64, 0);
    assert_memory_equal(a.data, b.data, 140);
    assert_memory_not_equal(a.data, c.data, 140);
    assert_int_equal(data_reader_get(r1, 10, &a, NULL), -ERANGE);
    assert_int_equal(data_reader_get(r1, -1, &a, NULL), -ERANGE);
    data_reader_close(r1);
    data_reader_close(r2);
    data_reader_close(r3);
    data_source_close(one);
    data_source_close(two);
    data_source_close(other);
}

static void the_shape_may_come_from_the_first_transform(void **state)
{
    (void)state;
    struct tensor_shape shape;
    tensor_shape_parse("t", "3x2:u8", &shape, NULL);
    struct data_source *s;
    struct data_config cfg = {.spec = "synthetic", .default_shape = &shape, .transform = "gemm=768"};
    assert_int_equal(data_source_open(&cfg, &s, NULL), 0);
    const struct data_info *info = data_source_info(s);
    assert_true(tensor_shape_equal(&info->shape, &shape));
    assert_true(info->samples > 0);
    assert_false(info->varies);
    assert_string_equal(info->transform, "gemm=768");
    data_source_close(s);
}

static void what_is_wrong_with_a_spec_is_named(void **state)
{
    (void)state;
    assert_open_fails("syntetic:3", NULL, -EINVAL,
                      "unknown dataset 'syntetic': did you mean 'synthetic[:N[:SHAPE[:dtype]]]'?");
    assert_open_fails("s3:bucket", NULL, -EINVAL, "unknown dataset 's3': `loaderbench list` shows all");
    assert_open_fails("synthetic:0:3", NULL, -ERANGE, "synthetic: 0 is outside 1 to 1099511627776");
    assert_open_fails("synthetic:10:3x3:f16", NULL, -EINVAL,
                      "synthetic: 'f16' is not a dtype (f32, u8, i16, f64)");
    assert_open_fails("synthetic:10:3x3", "decode,resize=4", -EINVAL,
                      "decode: synthetic data are arrays already");
    assert_open_fails("synthetic:10:99999x99999", NULL, -ERANGE,
                      "synthetic: a sample of 39999200004 bytes is over the limit of 4294967296");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(samples_come_from_the_seed_and_cost_a_pointer),
        cmocka_unit_test(the_shape_may_come_from_the_first_transform),
        cmocka_unit_test(what_is_wrong_with_a_spec_is_named),
    };
    return CASES(cases);
}
