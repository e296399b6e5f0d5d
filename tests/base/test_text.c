#include "base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "testing/cmocka.h"

static void expect(void (*f)(struct text *, const char *), const char *in, const char *out)
{
    struct text t = {0};
    f(&t, in);
    assert_string_equal(text_get(&t), out);
    text_fini(&t);
}

static void a_word_of_the_shell_is_one_whatever_it_holds(void **state)
{
    (void)state;
    expect(text_add_shell, "", "''");
    expect(text_add_shell, "/a b/$HOME;`x`\"\\", "'/a b/$HOME;`x`\"\\'");
    expect(text_add_shell, "it's", "'it'\\''s'");
}

static void newlines_and_controls_become_spaces(void **state)
{
    (void)state;
    expect(text_add_line, "a\nset output '/x'\rb\tc\x1b[0m", "a set output '/x' b c [0m");
    expect(text_add_line,
           "a\xE2\x80\xA8"
           "b\xC2\x85"
           "c",
           "a b c");
}

static void invalid_utf8_is_replaced_and_valid_is_kept(void **state)
{
    (void)state;
    expect(text_add_line,
           "gr\xC3\xB6\xC3\x9F"
           "e \xE6\x97\xA5",
           "gr\xC3\xB6\xC3\x9F"
           "e \xE6\x97\xA5");
    expect(text_add_line, "\xC3(", "\xEF\xBF\xBD(");
    expect(text_add_line, "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD");
    expect(text_add_line, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
    expect(text_add_line, "\xF0\x9F", "\xEF\xBF\xBD\xEF\xBF\xBD");
    expect(text_add_line, "\xFF", "\xEF\xBF\xBD");
}

static void invisible_and_direction_changing_characters_are_left_out(void **state)
{
    (void)state;
    expect(text_add_line,
           "a\xE2\x80\xAE"
           "b\xE2\x80\x8B"
           "c\xEF\xBB\xBF",
           "abc");
}

static void nothing_in_a_line_is_a_command_to_a_ci_job(void **state)
{
    (void)state;
    expect(text_add_line, "::error::x", "\\::error::x");
    expect(text_add_line, " \t::error::x", "  \\::error::x"); /* leading space is taken off by who reads it */
    expect(text_add_line, "\xC2\xA0\xE3\x80\x80::e", "\xC2\xA0\xE3\x80\x80\\::e");
    expect(text_add_line, "\xE2\x80\x8B:\xE2\x80\x8B:error::x", "\\::error::x");
    expect(text_add_line, "x ##[error]y", "x ##\\[error]y");
    expect(text_add_line, "##vso[task]", "##vso\\[task]");
    expect(text_add_line, "a::b, c[0] #[1] ## [2]", "a::b, c[0] #[1] ## [2]"); /* the twins */
    struct text t = {0};
    text_sayf(&t, "%s\n  %s%s x: %s", "::a", ":", ":b", "::c");
    assert_string_equal(text_get(&t), "\\::a\n  \\::b x: ::c");
    text_fini(&t);
}

/* What printf makes of it is what is said, where no foreign word is in it. */
#define EXPECT_AS_PRINTF(...)                                                                                \
    do {                                                                                                     \
        char want[256];                                                                                      \
        struct text t = {0};                                                                                 \
        snprintf(want, sizeof want, __VA_ARGS__);                                                            \
        text_sayf(&t, __VA_ARGS__);                                                                          \
        assert_string_equal(text_get(&t), want);                                                             \
        text_fini(&t);                                                                                       \
    } while (0)

static void what_is_said_is_formatted_as_printf_does(void **state)
{
    (void)state;
    EXPECT_AS_PRINTF("plain, 100 %%\n");
    EXPECT_AS_PRINTF("%d|%5d|%-5d|%05d|%+i|%c|%u|%x", -1, 2, 3, 4, 5, 'c', 4000000000u, 255u);
    EXPECT_AS_PRINTF("%ld %lld %zu %lu %llu", -1L, -8000000000000LL, sizeof(int), 3UL, 1ULL << 63);
    EXPECT_AS_PRINTF("%.3g %g %.*f %*.*f %e", 1.0 / 3, 1e300, 2, 1.5, 9, 3, 2.25, 1e-9);
    EXPECT_AS_PRINTF("%s, %-12s|%.3s|%*s", "a", "bc", "defghi", 4, "");
}

static void a_word_that_is_said_stays_within_its_line(void **state)
{
    (void)state;
    struct text t = {0};
    text_sayf(&t, "%d: %s\n%s\n", 1, "a\n::error::pwn\x1b[31m\x7f", "\xFF\r\xC2\x85");
    assert_string_equal(text_get(&t), "1: a ::error::pwn [31m \n\xEF\xBF\xBD  \n");
    text_fini(&t);
}

static void a_sequence_that_is_cut_at_the_end_is_left_out(void **state)
{
    (void)state;
    static const char s[] = "a\xC3\xB6\xE6\x97\xA5\xF0\x9F\x98\x80z";
    static const size_t whole[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};
    for (size_t n = 0; n < sizeof whole / sizeof *whole; n++)
        assert_int_equal(utf8_whole(s, n), whole[n]);
    assert_int_equal(utf8_whole("\x80\x80\x80\x80", 4), 4); /* no sequence at all */
}

static void control_characters_are_found_and_letters_are_not(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int at; /* -1 = none */
    } rows[] = {
        {"", -1},      {"plain", -1},        {"\xc3\xa9", -1}, {"\xc2\xa0", -1},
        {"a\xc2", -1}, {"\xe2\x82\x9b", -1}, {"a\nb", 1},      {"\x1b[31m", 0},
        {"ab\x7f", 2}, {"a\xc2\x9bm", 1},    {"\t", 0},        {"\xc2\x80", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *bad = text_find_control(rows[i].text);
        assert_int_equal(bad ? bad - rows[i].text : -1, rows[i].at);
    }
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(control_characters_are_found_and_letters_are_not),
        cmocka_unit_test(nothing_in_a_line_is_a_command_to_a_ci_job),
        cmocka_unit_test(a_word_of_the_shell_is_one_whatever_it_holds),
        cmocka_unit_test(newlines_and_controls_become_spaces),
        cmocka_unit_test(invalid_utf8_is_replaced_and_valid_is_kept),
        cmocka_unit_test(invisible_and_direction_changing_characters_are_left_out),
        cmocka_unit_test(what_is_said_is_formatted_as_printf_does),
        cmocka_unit_test(a_word_that_is_said_stays_within_its_line),
        cmocka_unit_test(a_sequence_that_is_cut_at_the_end_is_left_out),
    };
    return CASES(cases);
}
