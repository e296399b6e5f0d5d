/* CSV: what is written is read back by a strict reader, whatever stands in the fields. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "results/csv.h"
#include "testing/cmocka.h"

static const char *const nasty[] = {"plain", "with, comma", "a \"quote\"", "two\nlines", "cr\r\nlf",
                                    "",      " spaces ",    "\"",          ",",          "ünï, cödé"};
enum { NASTY = sizeof nasty / sizeof *nasty };

static void any_text_is_read_back(void **state)
{
    (void)state;
    struct text t = {0}, field = {0};
    for (int i = 0; i < NASTY; i++)
        csv_field(&t, !i, nasty[i]);
    csv_end(&t);
    const char *p = text_get(&t);
    for (int i = 0; i < NASTY; i++) {
        assert_int_equal(csv_read(&p, &field), i + 1 < NASTY ? ',' : '\n');
        assert_string_equal(text_get(&field), nasty[i]);
    }
    assert_int_equal(*p, 0);
    text_fini(&field);
    text_fini(&t);
}

static void numbers_are_read_back_exactly_and_unknown_ones_are_empty(void **state)
{
    (void)state;
    struct text t = {0}, field = {0};
    csv_number(&t, true, 0.1 + 0.2);
    csv_number(&t, false, NAN);
    csv_number(&t, false, INFINITY);
    csv_end(&t);
    const char *p = text_get(&t);
    assert_int_equal(csv_read(&p, &field), ',');
    assert_true(strtod(text_get(&field), NULL) == 0.1 + 0.2);
    assert_int_equal(csv_read(&p, &field), ',');
    assert_string_equal(text_get(&field), "");
    assert_int_equal(csv_read(&p, &field), '\n');
    assert_string_equal(text_get(&field), "");
    text_fini(&field);
    text_fini(&t);
}

static void the_reader_refuses_what_is_not_rfc_4180(void **state)
{
    (void)state;
    static const char *const bad[] = {"a\"b\r\n", "\"open", "\"closed\"x,", "bare\nline", "\"a\"\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct text field = {0};
        const char *p = bad[i];
        assert_int_equal(csv_read(&p, &field), -EINVAL);
        text_fini(&field);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_is_read_back),
        cmocka_unit_test(numbers_are_read_back_exactly_and_unknown_ones_are_empty),
        cmocka_unit_test(the_reader_refuses_what_is_not_rfc_4180),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
