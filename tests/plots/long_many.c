/* Very many invocations, and how long all pictures of a large session take. */
#include <sys/resource.h>

#include "base/clock.h"
#include "files.h"
#include "fixture.h"
#include "plots/report.h"
#include "testing/cmocka.h"

static size_t count_kinds(void)
{
    size_t n = 0;
    while (plot_list[n])
        n++;
    return n;
}

static void ten_thousand_invocations_are_drawn_and_fit_on_the_page(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    struct place *place = *state;
    spec.invocations = 10000;
    spec.blocks = 1;
    spec.no_items = true;
    fixture_init(&f, &spec);
    struct text out = {0};
    struct err pictures = {0}, err = {0};
    struct report_options opt = {.scratch = place->dir};
    assert_int_equal(report_html(f.list, 1, &opt, &out, &pictures, &err), 0);
    assert_string_equal(pictures.text, "");
    assert_true(out.len < REPORT_MOST_BYTES);
    assert_non_null(strstr(text_get(&out), "only the first invocations"));
    text_fini(&out);
    fixture_fini(&f);
}

static double cpu_s(int who)
{
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static double all_cpu_s(void)
{
    return cpu_s(RUSAGE_SELF) + cpu_s(RUSAGE_CHILDREN);
}

/* The project's own promise: all pictures of 40 settings x 24 invocations within 5 s on idle cores. gnuplot
 * draws them in one process, so its CPU time is how long that takes where nothing else runs; the wall time
 * here is whatever the machine's other work makes of it. */
static void all_pictures_of_a_large_session_take_less_than_five_seconds(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(40);
    struct place *place = *state;
    spec.invocations = 24;
    fixture_init(&f, &spec);
    size_t n = count_kinds();
    bool drawn[64];
    struct err err = {0};
    struct plot_options opt = {.dir = place->dir};
    double cpu = all_cpu_s();
    uint64_t from = clock_now_ns();
    assert_int_equal(plot_draw_many(plot_list, n, f.list, 1, &opt, drawn, &err), 0);
    double wall = (double)(clock_now_ns() - from) / 1e9;
    cpu = all_cpu_s() - cpu;
    print_message("%zu pictures: %.2f s of CPU time, %.2f s of wall time\n", n, cpu, wall);
    assert_true(cpu < 5);
    for (size_t i = 0; i < n; i++)
        if (!drawn[i] && !plot_missing(plot_list[i], f.list, 1))
            fail_msg("%s was not drawn", plot_list[i]->name);
    fixture_fini(&f);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest cases[] = {
        CASE(ten_thousand_invocations_are_drawn_and_fit_on_the_page),
        CASE(all_pictures_of_a_large_session_take_less_than_five_seconds),
    };
    return CASES(cases);
}
