#include "quote.h"

#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

static void expect(void (*f)(struct text *, const char *), const char *in, const char *out)
{
    struct text t = {0};
    f(&t, in);
    assert_string_equal(text_get(&t), out);
    text_fini(&t);
}

static void quote_all(struct text *t, const char *s)
{
    plot__quote(t, s, 1000);
}

static void tic_all(struct text *t, const char *s)
{
    plot__quote_tic(t, s, 1000);
}

static void quotes_and_all_signs_of_gnuplot_become_octal(void **state)
{
    (void)state;
    expect(quote_all, "plain name, 2 x 3", "\"plain name, 2 x 3\"");
    expect(quote_all, "a\"b", "\"a\\042b\"");
    expect(quote_all, "`id`", "\"\\140id\\140\"");
    expect(quote_all, "x\\", "\"x\\134\"");
    expect(quote_all, "@m $v {} ^ % # '", "\"\\100m \\044v \\173\\175 \\136 \\045 \\043 \\047\"");
    expect(quote_all, "&#60;8", "\"&\\043\".\"60;8\"");
    expect(quote_all, "\xC3\xB6 \xE6\x97\xA5\n\xF0\x9F\x98\x80", "\"\xC3\xB6 \xEF\xBF\xBD \xEF\xBF\xBD\"");
    expect(quote_all, "a]]>b ]>",
           "\"a]]\xE2\x80\xBA"
           "b ]>\"");
    expect(tic_all, "50% %s", "\"50\\045\\045 \\045\\045s\"");
}

static void every_byte_stays_inside_its_literal(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        char in[] = {'a', (char)c, 'b', 0};
        struct text t = {0};
        plot__quote(&t, in, 100);
        const char *s = text_get(&t);
        size_t n = strlen(s);
        assert_true(n >= 4 && s[0] == '"' && s[n - 1] == '"');
        for (size_t i = 1; i + 1 < n; i++) {
            assert_null(strchr("\"`\n\r'{}@$#%^", s[i]));
            if (s[i] == '\\')
                assert_true(strspn(s + i + 1, "01234567") >= 3);
        }
        text_fini(&t);
    }
}

static void long_names_lose_their_middle(void **state)
{
    (void)state;
    struct text t = {0};
    plot__cut(&t, "0123456789abcdefghij", 10);
    assert_string_equal(text_get(&t), "012345\xE2\x80\xA6hij");
    assert_int_equal(plot__columns(text_get(&t)), 10);
    text_fini(&t);
    plot__cut(&t, "0123456789", 10);
    assert_string_equal(text_get(&t), "0123456789");
    text_fini(&t);
}

static void wide_characters_count_two_columns_when_cutting(void **state)
{
    (void)state;
    struct text t = {0};
    assert_int_equal(plot__columns("\xE6\x97\xA5\xE6\x9C\xAC"
                                   "a\xCC\x81"),
                     5);
    plot__cut(&t, "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E", 9);
    assert_true(plot__columns(text_get(&t)) <= 9);
    text_fini(&t);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(quotes_and_all_signs_of_gnuplot_become_octal),
        cmocka_unit_test(every_byte_stays_inside_its_literal),
        cmocka_unit_test(long_names_lose_their_middle),
        cmocka_unit_test(wide_characters_count_two_columns_when_cutting),
    };
    return CASES(cases);
}
