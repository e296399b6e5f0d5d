/* Placement over the machine's packages, nodes, caches and cores, from 2 CPUs to more than there is room for. */
#include "plots/plot.h"

#include "files.h"
#include "fixture.h"
#include "testing/cmocka.h"

static void draw(const struct place *p, const struct fixture *f)
{
    struct err err = {0};
    int rc = plot_draw(plot_find("placement"), f->list, 1, &(struct plot_options){.dir = p->dir}, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
}

static void expect_words(const struct place *p, const char *const *words, size_t n)
{
    char *svg = content(p, "placement.svg", NULL);
    assert_non_null(svg);
    for (size_t i = 0; i < n; i++)
        if (!strstr(svg, words[i]))
            fail_msg("'%s' is not in the picture", words[i]);
    free(svg);
}

/* The fixture has two hardware threads a core, four CPUs a cache and node, eight a package. */
static void borders_stand_where_parts_of_the_machine_meet(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.cpu_budget = 16;
    fixture_init(&f, &spec);
    draw(p, &f);
    struct rows r = read_rows(p, "placement.dat");
    size_t boxes[4] = {0}, borders = 0;
    for (size_t i = 0; i < r.n; i++) {
        if (r.block[i] == 2) {
            static const double wide[4] = {8, 4, 0, 2}; /* nodes and caches are one band */
            size_t level = (size_t)r.v[i][4];
            assert_true(r.v[i][1] - r.v[i][0] == wide[level]);
            boxes[level]++;
        }
        if (r.block[i] == 3) {
            int left = (int)(r.v[i][0] + 0.5);
            assert_int_equal(r.v[i][3], left % 8 == 0 ? 0 : left % 4 == 0 ? 1 : 3);
            borders++;
        }
    }
    assert_true(boxes[0] == 2 && boxes[1] == 4 && boxes[2] == 0 && boxes[3] == 8);
    assert_int_equal(borders, 7);
    free_rows(&r);
    expect_words(p, (const char *const[]){">package<", ">NUMA node, L3 cache<", ">core<"}, 3);
    fixture_fini(&f);
}

/* Four workers on two CPUs: who is where, and a line where the main process may run. */
static void cells_name_the_workers_and_a_line_is_the_main_process(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    draw(p, &f);
    expect_words(p, (const char *const[]){">2  (w0 w2)<", ">2  (w1 w3)<", ">1  (w0)<", "line: main process"},
                 4);
    struct rows r = read_rows(p, "placement.dat");
    size_t lines = 0;
    for (size_t i = 0; i < r.n; i++)
        if (r.block[i] == 1) {
            assert_true(r.v[i][0] < 0 && r.v[i][1] > 0 && r.v[i][1] < 0.5); /* CPU 0 alone */
            lines++;
        }
    assert_int_equal(lines, 6); /* of the settings with workers */
    free_rows(&r);
    fixture_fini(&f);
}

static size_t count_columns(const struct place *p)
{
    size_t size, n = 0;
    char *script = content(p, "placement.gp", &size);
    const char *range = strstr(script, "set xrange [-0.5:");
    if (range)
        n = (size_t)(strtod(range + strlen("set xrange [-0.5:"), NULL) + 0.5);
    free(script);
    return n;
}

static void all_of_256_cpus_are_shown_and_of_more_those_that_are_used(void **state)
{
    static const int cpus[] = {2, 64, 256, 300};
    static const size_t shown[] = {2, 64, 256, 32};
    struct place *p = *state;
    for (size_t i = 0; i < 4; i++) {
        struct fixture f;
        struct fixture_spec spec = fixture_of(40);
        spec.cpu_budget = cpus[i];
        spec.invocations = 6;
        fixture_init(&f, &spec);
        draw(p, &f);
        assert_int_equal(count_columns(p), shown[i]);
        char *svg = content(p, "placement.svg", NULL);
        assert_int_equal(strstr(svg, "268 CPUs are left out") != NULL, i == 3);
        assert_int_equal(strstr(svg, "darker: more") != NULL, shown[i] > 32);
        free(svg);
        fixture_fini(&f);
    }
}

static void what_is_no_layout_leaves_the_numbers(void **state)
{
    static const char *const environments[] = {
        NULL,
        "{}",
        "{\"cpu\": \"made up\"}",
        "{\"cpu\": {\"layout\": \"\"}}",
        "{\"cpu\": {\"layout\": \"0:0.0.0.0 nonsense\"}}",
        "{\"cpu\": {\"layout\": \"0:0.0.0.0 1:0.0.0.0x\"}}",
        "{\"cpu\": {\"layout\": \"-1:0.0.0.0 1:0.0.0.1\"}}",
        "{\"cpu\": {\"layout\": \"0:0.0.0.0\"}}", /* lacks a CPU that is used */
        "{\"cpu\": {\"layout\": \"0:0.0.0.0 1:0.0.0.1 99999:0.0.0.2\"}}",
        "{\"cpu\": {\"layout\": [0, 1]}}",
    };
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    for (size_t i = 0; i < sizeof environments / sizeof *environments; i++) {
        free(f.result.environment);
        f.result.environment = fixture_copy(environments[i]);
        draw(p, &f);
        assert_int_equal(count_columns(p), 2);
        expect_words(p, (const char *const[]){"neighbours are not in the record"}, 1);
    }
    fixture_fini(&f);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest cases[] = {
        CASE(borders_stand_where_parts_of_the_machine_meet),
        CASE(cells_name_the_workers_and_a_line_is_the_main_process),
        CASE(all_of_256_cpus_are_shown_and_of_more_those_that_are_used),
        CASE(what_is_no_layout_leaves_the_numbers),
    };
    return CASES(cases);
}
