/* Texts: what would lead a line or a terminal astray. */
#include "base/text.h"

#include "testing/cmocka.h"

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
    };
    return CASES(cases);
}
