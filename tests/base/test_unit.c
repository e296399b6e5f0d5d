#include "base/unit.h"

#include <errno.h>
#include <math.h>

#include "testing/cmocka.h"

static void int_outside_its_range_names_value_and_limit(void **state)
{
    (void)state;
    struct err err = {0};
    int64_t v;
    assert_int_equal(unit_parse_int("--workers", "-1", 0, 4096, &v, &err), -ERANGE);
    assert_string_equal(err.text, "--workers: -1 is outside 0 to 4096");
    err = (struct err){0};
    assert_int_equal(unit_parse_int("--workers", "99999999999999999999", 0, 4096, &v, &err), -ERANGE);
    err = (struct err){0};
    assert_int_equal(unit_parse_int("--workers", "2x", 0, 4096, &v, &err), -EINVAL);
    assert_string_equal(err.text, "--workers: '2x' is not a whole number");
    assert_int_equal(unit_parse_int("--workers", "", 0, 4096, &v, NULL), -EINVAL);
    assert_int_equal(unit_parse_int("--workers", " 2", 0, 4096, &v, NULL), -EINVAL);
    assert_int_equal(unit_parse_int("--workers", "16", 0, 4096, &v, NULL), 0);
    assert_int_equal(v, 16);
}

static void durations_sizes_and_ratios_know_their_suffixes(void **state)
{
    (void)state;
    double d;
    int64_t n;
    assert_int_equal(unit_parse_ns("b", "60", 0, 1e18, &d, NULL), 0);
    assert_true(d == 60e9);
    assert_int_equal(unit_parse_ns("b", "1.5ms", 0, 1e18, &d, NULL), 0);
    assert_true(d == 1.5e6);
    assert_int_equal(unit_parse_ns("b", "2m", 0, 1e18, &d, NULL), 0);
    assert_true(d == 120e9);
    assert_int_equal(unit_parse_ns("b", "3min", 0, 1e18, &d, NULL), 0);
    assert_true(d == 180e9);
    assert_int_equal(unit_parse_ns("b", "2d", 0, 1e18, &d, NULL), 0);
    assert_true(d == 2 * 86400e9);
    assert_int_equal(unit_parse_ns("b", "5 minutes", 0, 1e18, &d, NULL), -EINVAL);
    assert_int_equal(unit_parse_ns("b", "nan", 0, 1e18, &d, NULL), -EINVAL);
    assert_int_equal(unit_parse_ns("b", "inf", 0, 1e18, &d, NULL), -EINVAL);
    assert_int_equal(unit_parse_ratio("m", "5%", 0, 1, &d, NULL), 0);
    assert_true(fabs(d - 0.05) < 1e-15);
    assert_int_equal(unit_parse_bytes("s", "64KiB", 0, 1 << 30, &n, NULL), 0);
    assert_int_equal(n, 65536);
    assert_int_equal(unit_parse_bytes("s", "64kB", 0, 1 << 30, &n, NULL), 0);
    assert_int_equal(n, 64000);
}

static void numbers_print_with_the_digits_asked_for(void **state)
{
    (void)state;
    char buf[2 * UNIT_TEXT];
    assert_string_equal(unit_format_ns(buf, 13312345, 3), "13.3 ms");
    assert_string_equal(unit_format_ns(buf, 23.4, 2), "23 ns");
    assert_string_equal(unit_format_ns(buf, NAN, 3), "-");
    assert_string_equal(unit_format_ns(buf, 0, 3), "0 ns");
    assert_string_equal(unit_format_ns(buf, 5400e9, 2), "1.5 h");
    assert_string_equal(unit_format_ns_short(buf, 1e9), "1 s");
    assert_string_equal(unit_format_ns_short(buf, 1.5e9), "1.5 s");
    assert_string_equal(unit_format_ns_short(buf, 30 * 86400e9), "30 d");
    assert_string_equal(unit_format_ns_short(buf, 100e6), "100 ms");
    assert_string_equal(unit_format_ns_short(buf, 0), "0 ns");
    assert_string_equal(unit_format_ns_short(buf, NAN), "-");
    assert_string_equal(unit_format_rate(buf, 75.19, 3), "75.2 /s");
    assert_string_equal(unit_format_bytes(buf, 2.25 * 1048576, 3), "2.25 MiB");
    assert_string_equal(unit_format_ns_interval(buf, 13.12e6, 13.56e6, 3), "13.1 .. 13.6 ms");
    assert_string_equal(unit_format_ns_interval(buf, 999e3, 1.2e6, 2), "1.0 .. 1.2 ms");
    assert_string_equal(unit_format_real(buf, 0.59123, 3), "0.591");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(int_outside_its_range_names_value_and_limit),
        cmocka_unit_test(durations_sizes_and_ratios_know_their_suffixes),
        cmocka_unit_test(numbers_print_with_the_digits_asked_for),
    };
    return CASES(cases);
}
