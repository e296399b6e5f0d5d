/* The rows of a gate or a comparison as a picture. */
#include "plots/ratios.h"

#include <errno.h>

#include "files.h"
#include "testing/cmocka.h"

static const char *const words[] = {"surely not worse", "not told", "surely worse"};

static struct plot_ratios of(const struct plot_ratio *row, size_t n)
{
    return (struct plot_ratios){.file = "gate",
                                .title = "Gate: REGRESSION",
                                .subtitle = "cost_ns",
                                .axis = "candidate over baseline",
                                .level = 0.95,
                                .words = words,
                                .row = row,
                                .n = n};
}

static void draw(const struct place *p, const struct plot_ratios *r)
{
    struct err err = {0};
    int rc = plot_ratios(r, &(struct plot_options){.dir = p->dir}, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
}

/* The file that drawing these rows leaves; the caller frees it. */
static char *drawn(const struct place *p, const struct plot_ratio *row, size_t n, const char *file)
{
    struct plot_ratios r = of(row, n);
    draw(p, &r);
    return content(p, file, NULL);
}

static const struct plot_ratio three[] = {
    {"small", 1.01, 0.98, 1.03, 0.05, PLOT_RATIO_GOOD, "pass"},
    {"gone", NAN, NAN, NAN, 0.05, PLOT_RATIO_BAD, "missing"},
    {"large", 1.25, 1.2, 1.31, 0.1, PLOT_RATIO_BAD, "regression"},
};

/* A data set for each kind; a row without a ratio has none, but its words stand in the picture. */
static void every_ratio_is_drawn_in_its_row_with_its_verdict(void **state)
{
    struct place *p = *state;
    char *svg = drawn(p, three, 3, "gate.svg");
    struct rows d = read_rows(p, "gate.dat");
    static const double want[2][4] = {{0, 1.01, 0.98, 1.03}, {2, 1.25, 1.2, 1.31}};
    size_t seen = 0;
    for (size_t i = 0; i < d.n; i++) {
        if (isnan(d.v[i][0]))
            continue;
        assert_true(seen < 2);
        assert_memory_equal(d.v[i], want[seen], sizeof want[seen]);
        assert_int_equal(d.block[i], seen ? PLOT_RATIO_BAD : PLOT_RATIO_GOOD);
        seen++;
    }
    assert_int_equal(seen, 2);
    free_rows(&d);
    static const char *const told[] = {">Gate: REGRESSION<",       ">small<",   ">pass<",
                                       ">1.01  [0.98, 1.03]<",     ">missing<", ">regression<",
                                       ">surely worse<",           ">gone<",    "each row's margin",
                                       ">candidate over baseline<"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (!strstr(svg, told[i]))
            fail_msg("'%s' is not in the picture", told[i]);
    assert_null(strstr(svg, ">not told<")); /* of no row */
    free(svg);
}

static void the_band_is_the_margin_of_each_row(void **state)
{
    char *script = drawn(*state, three, 3, "gate.gp");
    /* 5 % for the first two rows together, 10 % for the third. */
    assert_non_null(strstr(script, "from first 0.952381, first 1.5 to first 1.05, graph 1 "));
    assert_non_null(strstr(script, "from first 0.909091, graph 0 to first 1.1, first 1.5 "));
    free(script);
}

static void one_row_and_forty_rows_are_drawn(void **state)
{
    struct place *p = *state;
    struct plot_ratio row[40];
    char names[40][32];
    for (int i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "row %d", i);
        row[i] = (struct plot_ratio){
            names[i], 1 + 0.01 * i, 0.9, 1.1 + 0.01 * i, 0.05, (enum plot_ratio_kind)(i % 3), "inconclusive"};
    }
    free(drawn(p, row, 1, "gate.svg"));
    char *svg = drawn(p, row, 40, "gate.svg");
    struct rows d = read_rows(p, "gate.dat");
    assert_int_equal(d.n, 40);
    free_rows(&d);
    assert_non_null(strstr(svg, ">row 39<"));
    free(svg);
}

/* No interval, an interval that spans powers of ten, margins that are not known. */
static void unknown_and_huge_intervals_are_drawn(void **state)
{
    static const struct plot_ratio row[] = {{"a", 1, NAN, NAN, NAN, PLOT_RATIO_OPEN, "cannot be known"},
                                            {"b", 100, 0.01, 1e6, 0, PLOT_RATIO_OPEN, "inconclusive"}};
    char *script = drawn(*state, row, 2, "gate.gp");
    assert_non_null(strstr(script, "set logscale x"));
    assert_null(strstr(script, "rectangle"));
    free(script);
}

static void hostile_words_are_drawn_and_never_run(void **state)
{
    static const char evil[] =
        "\"; system('touch HACKED'); \"\n`touch HACKED`\nsystem 'touch HACKED' \\ {/a}_b^c 100%";
    const struct plot_ratio row[] = {{evil, 1, 0.9, 1.1, 0.05, PLOT_RATIO_GOOD, evil}};
    const char *const all[] = {evil, evil, evil};
    struct place *p = *state;
    struct plot_ratios r = {"gate", evil, evil, "ratio", 0.95, all, row, 1};
    draw(p, &r);
    assert_int_equal(access(path_in(p, "HACKED"), F_OK), -1);
    char *svg = content(p, "gate.svg", NULL);
    assert_non_null(strstr(svg, "system('touch HACKED')"));
    free(svg);
}

/* The key grows upwards, towards the title. */
static void long_words_in_the_key_get_a_line_each_and_room_for_it(void **state)
{
    static const char *const lengthy[] = {"surely not worse than the margin that was asked for", "not told",
                                          "surely worse"};
    static const struct plot_ratio row[] = {{"a", 1, 0.9, 1.1, 0.05, PLOT_RATIO_GOOD, ""},
                                            {"b", 1, 0.9, 1.1, 0.05, PLOT_RATIO_OPEN, ""},
                                            {"c", 1, 0.9, 1.1, 0.05, PLOT_RATIO_BAD, ""}};
    struct place *p = *state;
    for (int i = 0; i < 2; i++) {
        struct plot_ratios r = {"gate", "t", "s", "ratio", 0.95, i ? lengthy : words, row, 3};
        draw(p, &r);
        char *script = content(p, "gate.gp", NULL);
        assert_non_null(strstr(script, i ? "maxcols 1 " : "maxcols 2 "));
        assert_true(!strstr(script, "set tmargin 7.6\n") == !i);
        free(script);
    }
}

static void without_a_row_there_is_nothing_to_draw(void **state)
{
    struct place *p = *state;
    struct err err = {0};
    struct plot_ratios r = of(three, 0);
    assert_int_equal(plot_ratios(&r, &(struct plot_options){.dir = p->dir}, &err), -ENODATA);
    assert_string_equal(err.text, "gate cannot be drawn: there is no row");
    assert_int_equal(count_files(p), 0);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest cases[] = {
        CASE(every_ratio_is_drawn_in_its_row_with_its_verdict),
        CASE(the_band_is_the_margin_of_each_row),
        CASE(one_row_and_forty_rows_are_drawn),
        CASE(unknown_and_huge_intervals_are_drawn),
        CASE(hostile_words_are_drawn_and_never_run),
        CASE(long_words_in_the_key_get_a_line_each_and_room_for_it),
        CASE(without_a_row_there_is_nothing_to_draw),
    };
    return CASES(cases);
}
