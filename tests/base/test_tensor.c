#include "base/tensor.h"

#include <errno.h>

#include "testing/cmocka.h"

static void a_shape_goes_to_text_and_back(void **state)
{
    (void)state;
    struct tensor_shape s, again;
    char text[TENSOR_TEXT];
    assert_int_equal(tensor_shape_parse("t", "224x160x3:u8", &s, NULL), 0);
    assert_int_equal(s.ndim, 3);
    assert_int_equal(tensor_elements(&s), 224 * 160 * 3);
    assert_int_equal(tensor_bytes(&s), 224 * 160 * 3);
    assert_string_equal(tensor_shape_format(text, &s), "224x160x3:u8");
    assert_int_equal(tensor_shape_parse("t", text, &again, NULL), 0);
    assert_true(tensor_shape_equal(&s, &again));
    again.dtype = TENSOR_F64;
    assert_false(tensor_shape_equal(&s, &again));
    assert_int_equal(tensor_shape_parse("t", "7", &s, NULL), 0);
    assert_string_equal(tensor_shape_format(text, &s), "7:f32");
}

static void a_bad_shape_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",      "0",  "-1", "3x", "x3", "1x2x3x4x5",
                                      "3:f16", "3:", "3 ", " 3", "3xA"};
    struct tensor_shape s;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(tensor_shape_parse("t", bad[i], &s, NULL), -EINVAL);
    assert_int_equal(tensor_shape_parse("t", "99999999999999999999", &s, NULL), -ERANGE);
    assert_int_equal(tensor_shape_parse("t", "2097152x2097152", &s, NULL), -ERANGE);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_shape_goes_to_text_and_back),
        cmocka_unit_test(a_bad_shape_is_refused),
    };
    return CASES(cases);
}
