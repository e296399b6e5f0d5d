/* Sessions of tune whose outcome is known: what counts as wrong, and what is kept. */
#include "known_race.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../results/building.h"
#include "testing/cmocka.h"

/* Three equal arms and a last one, with these costs, 20 invocations. */
static struct known_race_end judged(const double cost[4])
{
    struct result r = building_create((struct shape){4, 20, 2, 1});
    for (size_t a = 0; a < 4; a++) {
        r.arms[a].setting.workers = 0; /* one setting */
        for (size_t i = 0; i < 20; i++)
            building_scale(&r, i, a, cost[a] * (1 + 1e-3 * (double)((i * (a + 2)) % 5)));
    }
    struct known_race_end end = {.seconds = 3};
    assert_int_equal(known_race_judge(&r, &end, NULL), 0);
    assert_true(end.seconds == 3);
    result_fini(&r);
    return end;
}

static void the_slower_one_out_is_what_is_so(void **state)
{
    (void)state;
    struct known_race_end end = judged((double[]){1, 1, 1, 1.1});
    assert_true(end.slower_out && end.decided && !end.equal_out && !end.sure_of_the_slower);
    struct calibration_races counts = {.n = 0};
    known_race_count(&counts, &end);
    assert_true(counts.n == 1 && counts.wrong == 0 && counts.slower_out == 1 && counts.decided == 1);
}

static void what_is_not_so_is_counted_as_wrong_once(void **state)
{
    (void)state;
    struct calibration_races counts = {.n = 0};
    struct known_race_end end = judged((double[]){1, 1.1, 1, 1.02});
    assert_true(end.equal_out && !end.slower_out && !end.sure_of_the_slower);
    known_race_count(&counts, &end);
    end = judged(
        (double[]){1, 1, 1, 0.9}); /* all equal ones out, the slower one recommended: one wrong session */
    assert_true(end.equal_out && end.sure_of_the_slower);
    known_race_count(&counts, &end);
    assert_true(counts.n == 2 && counts.wrong == 2 && counts.wrong_choices == 1 && counts.equal_out == 2);
}

static void a_session_comes_back_from_its_line(void **state)
{
    (void)state;
    const struct calibrate_work work = {"gemm=64", 2};
    const struct known_race race = {.work = &work, .margin = 0.05, .turn_ns = 5e6, .budget_ns = 6e10};
    const struct known_race_end out[] = {{.equal_out = true, .seconds = 2.5},
                                         {.sure_of_the_slower = true, .decided = true, .seconds = 3},
                                         {.slower_out = true, .decided = true, .seconds = 4}};
    for (size_t i = 0; i < 3; i++) {
        json_t *line = known_race_line(&race, 7, &out[i]), *key = known_race_key(&race);
        struct known_race_end in;
        known_race_read(line, &in);
        assert_true(json_equal(json_object_get(line, "of"), key));
        assert_true(in.equal_out == out[i].equal_out && in.sure_of_the_slower == out[i].sure_of_the_slower);
        assert_true(in.slower_out == out[i].slower_out && in.decided == out[i].decided);
        assert_true(in.seconds == out[i].seconds);
        json_decref(key);
        json_decref(line);
    }
}

static void what_was_found_is_quoted_where_it_holds(void **state)
{
    (void)state;
    char folder[] = "/tmp/known_race_XXXXXX", back[4096];
    assert_non_null(getcwd(back, sizeof back));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    struct text t = {0};
    calibration_quote_races(&t, "here");
    assert_true(t.len == 0); /* not calibrated: nothing is said of it */
    struct calibration c = {.workload = "gemm=64, 0 workers", .alpha = 0.01, .margin = 0.05};
    c.races = (struct calibration_races){
        .slowdown = 0.1, .margin = 0.05, .n = 50, .wrong = 1, .equal_out = 1, .slower_out = 49, .seconds = 3};
    calibration_fingerprint("here", c.fingerprint);
    assert_int_equal(calibration_write(&c, NULL), 0);
    calibration_quote_races(&t, "elsewhere");
    assert_true(t.len == 0);
    calibration_quote_races(&t, "here");
    /* 1 of 50: the upper limit p solves (1 - p)^50 + 50 p (1 - p)^49 = 0.05, p = 0.0914 */
    assert_string_equal(text_get(&t),
                        "On this machine: wrong in 1 of 50 sessions whose outcome was known (under 9.1 % at "
                        "95 % confidence; gemm=64, 0 workers, margin 5 %).\n");
    text_fini(&t);
    calibration_quote(&t, "here"); /* no gate was repeated */
    assert_non_null(strstr(text_get(&t), "was not calibrated"));
    text_fini(&t);
    assert_int_equal(unlink(calibration_path), 0);
    assert_int_equal(rmdir("loaderbench-results"), 0);
    assert_int_equal(chdir(back), 0);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(the_slower_one_out_is_what_is_so),
        cmocka_unit_test(what_is_not_so_is_counted_as_wrong_once),
        cmocka_unit_test(a_session_comes_back_from_its_line),
        cmocka_unit_test(what_was_found_is_quoted_where_it_holds),
    };
    return cmocka_run_group_tests(list, NULL, NULL);
}
