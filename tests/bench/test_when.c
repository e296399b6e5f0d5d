/* Names of new results: never one that is there. */
#include "when.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/cmocka.h"

/* Makes the file; the path is the caller's to free. */
static char *make_next(const char *folder)
{
    char *path;
    assert_int_equal(when_new_path(folder, &path, NULL), 0);
    FILE *f = fopen(path, "wxe");
    assert_non_null(f);
    fclose(f);
    return path;
}

static void results_of_one_second_have_names_of_their_own(void **state)
{
    (void)state;
    char folder[] = "/tmp/when-XXXXXX", *path[4];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 4; i++)
        path[i] = make_next(folder);
    for (int i = 0; i < 4; i++) {
        const char *end = strrchr(path[i], '.');
        assert_int_equal(strncmp(path[i], folder, strlen(folder)), 0);
        assert_string_equal(end, ".jsonl");
        unlink(path[i]);
        free(path[i]);
    }
    rmdir(folder);
}

static void the_time_is_iso_8601_in_utc(void **state)
{
    (void)state;
    char *now = when_now();
    int year, month, day, hour, minute, second, end = 0;
    sscanf(now, "%4d-%2d-%2dT%2d:%2d:%2dZ%n", &year, &month, &day, &hour, &minute, &second, &end);
    assert_int_equal(end, 20);
    assert_int_equal(strlen(now), 20);
    free(now);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(results_of_one_second_have_names_of_their_own),
        cmocka_unit_test(the_time_is_iso_8601_in_utc),
    };
    return CASES(list);
}
