#include "base/err.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/name.h"
#include "base/text.h"
#include "testing/cmocka.h"

static void the_first_failure_wins(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(err_set(&err, -EINVAL, "worker %d is no good", 3), -EINVAL);
    assert_int_equal(err_set(&err, -EIO, "later"), -EIO);
    assert_int_equal(err.code, -EINVAL);
    assert_string_equal(err.text, "worker 3 is no good");
    err_prefix(&err, "trial %d", 2);
    assert_string_equal(err.text, "trial 2: worker 3 is no good");
    assert_int_equal(err_set(NULL, -EIO, "nobody listens"), -EIO);
}

static void an_errno_is_told_in_words(void **state)
{
    (void)state;
    struct err err = {0};
    err_set_errno(&err, -ENOENT, "cannot open '%s'", "x");
    assert_string_equal(err.text, "cannot open 'x': No such file or directory");
}

static void the_limit_that_was_met_is_told(void **state)
{
    (void)state;
    struct err err = {0};
    struct rlimit was, low;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
    low = was;
    low.rlim_cur = 17;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    err_set_errno(&err, -EMFILE, "cannot open '%s'", "x");
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
    assert_string_equal(err.text, "cannot open 'x': Too many open files (ulimit -n is 17)");
}

static void a_text_cannot_overflow(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, -EINVAL, "%2000d", 1);
    assert_int_equal(err.text[sizeof err.text - 1], 0);
    err_prefix(&err, "%2000d", 2);
    assert_int_equal(err.text[sizeof err.text - 1], 0);
}

static void a_text_is_one_line_whatever_words_are_in_it(void **state)
{
    (void)state;
    struct err err = {0};
    err_set(&err, -EIO, "'%s' said: %s", "a\nb", "x\n::error ::pwn\x1b[31m\xFF");
    assert_string_equal(err.text, "'a b' said: x ::error ::pwn [31m\xEF\xBF\xBD");
    err_prefix(&err, "trial\n%d", 2);
    assert_string_equal(err.text, "trial 2: 'a b' said: x ::error ::pwn [31m\xEF\xBF\xBD");
    char words[600];
    memset(words, '\n', sizeof words);
    words[510] = '\xC3'; /* cut by the end of the text: left out */
    words[511] = '\xB6';
    words[599] = '\0';
    err = (struct err){0};
    err_set(&err, -EIO, "%s", words);
    assert_int_equal(strlen(err.text), 510);
    memset(words, '\xFF', sizeof words - 1); /* each becomes three bytes: as many as there is room for */
    err = (struct err){0};
    err_set(&err, -EIO, "%s", words);
    assert_int_equal(strlen(err.text), 510);
}

static void the_nearest_name_is_found_and_nonsense_is_not(void **state)
{
    (void)state;
    const char *names[] = {"gemm", "normalize", "resize"};
    assert_int_equal(name_nearest("gem", names, 3), 0);
    assert_int_equal(name_nearest("normalise", names, 3), 1);
    assert_int_equal(name_nearest("reszie", names, 3), 2);
    assert_int_equal(name_nearest("quux", names, 3), -1);
    assert_int_equal(name_distance("", "abc"), 3);
}

static void a_text_grows_and_pads_by_columns(void **state)
{
    (void)state;
    struct text t = {0};
    text_add(&t, "x\n");
    text_add(&t, "\xc3\xa4"); /* one column in two bytes */
    text_pad_to(&t, 3);
    text_addf(&t, "|%0200d", 1);
    assert_int_equal(t.len, 2 + 2 + 2 + 201);
    text_fini(&t);
    assert_string_equal(text_get(&t), "");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_first_failure_wins),
        cmocka_unit_test(an_errno_is_told_in_words),
        cmocka_unit_test(the_limit_that_was_met_is_told),
        cmocka_unit_test(a_text_cannot_overflow),
        cmocka_unit_test(a_text_is_one_line_whatever_words_are_in_it),
        cmocka_unit_test(the_nearest_name_is_found_and_nonsense_is_not),
        cmocka_unit_test(a_text_grows_and_pads_by_columns),
    };
    return CASES(cases);
}
