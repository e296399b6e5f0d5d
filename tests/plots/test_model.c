#include "model.h"

#include "fixture.h"
#include "testing/cmocka.h"

static struct plot_model *model_of(const struct fixture *f)
{
    struct plot_model *m;
    struct err err = {0};
    assert_int_equal(plot__model_create(f->list, 1, &m, &err), 0);
    return m;
}

static void arms_that_differ_in_workers_only_share_a_line(void **state)
{
    (void)state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    struct plot_model *m = model_of(&f);
    assert_int_equal(m->nlines, 2);
    assert_string_equal(m->lines[0].label, "1 thread");
    assert_string_equal(m->lines[1].label, "2 threads");
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(m->arms[i].line, 0);
        assert_int_equal(m->arms[i].arm->setting.threads, 1);
        assert_true(i == 0 || m->arms[i].arm->setting.workers > m->arms[i - 1].arm->setting.workers);
    }
    plot__model_destroy(m);
    fixture_fini(&f);
}

/* Sets one attribute of every second pair of arms and tells how many lines there are then. */
static size_t lines_with(size_t at_text, const char *word, const char *label)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    for (size_t i = 4; i < 8; i++) {
        char **text = (char **)(void *)((char *)&f.result.arms[i] + at_text);
        free(*text);
        *text = fixture_copy(word);
    }
    struct plot_model *m = model_of(&f);
    size_t n = m->nlines, named = 0;
    for (size_t i = 0; i < n; i++)
        named += strstr(m->lines[i].label, label) != NULL;
    assert_int_equal(named, 2);
    plot__model_destroy(m);
    fixture_fini(&f);
    return n;
}

static void every_other_attribute_makes_a_line_of_its_own_and_is_named(void **state)
{
    (void)state;
    assert_int_equal(lines_with(offsetof(struct arm, setting.affinity), "scatter", "scatter"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, setting.backend), "thread", "process"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, subject), "./adapter", "./adapter"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.data), "images:x", "images:x"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.transform), "decode", "decode"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.sampler), "random", "random"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.consumer), "gpu=5ms", "gpu=5ms"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.cache), "cold", "cold"), 4);
    assert_int_equal(lines_with(offsetof(struct arm, workload.on_error), "skip", "skip"), 4);
}

static void colours_stay_with_their_line_and_fade_with_fewer_workers(void **state)
{
    (void)state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    struct plot_model *m = model_of(&f);
    for (size_t l = 0; l < 2; l++) {
        assert_int_equal(m->arms[4 * l + 3].rgb, m->lines[l].look.rgb);
        for (size_t i = 1; i < 4; i++)
            assert_true(plot__luminance(m->arms[4 * l + i].rgb) <
                        plot__luminance(m->arms[4 * l + i - 1].rgb));
    }
    plot__model_destroy(m);
    fixture_fini(&f);
}

static void the_name_of_a_file_leaves_room_for_the_setting(void **state)
{
    (void)state;
    struct fixture f, g;
    struct fixture_spec spec = fixture_of(2);
    struct plot_model *m;
    fixture_init(&f, &spec);
    fixture_init(&g, &spec);
    f.result.path = fixture_copy("/far/away/a result of a very long name.jsonl");
    const struct summary *both[] = {f.summary, g.summary};
    assert_int_equal(plot__model_create(both, 2, &m, NULL), 0);
    assert_string_equal(m->arms[1].label, "a result o\xE2\x80\xA6 name: 1 worker x 1 thread");
    assert_string_equal(m->arms[3].label, "result 2: 1 worker x 1 thread");
    assert_string_equal(m->lines[0].label, "a result o\xE2\x80\xA6 name: 1 thread");
    plot__model_destroy(m);
    fixture_fini(&f);
    fixture_fini(&g);
}

static void the_first_lines_differ_in_colour_shape_and_grey(void **state)
{
    (void)state;
    for (size_t i = 0; i < 14; i++)
        for (size_t j = 0; j < i; j++) {
            struct plot_look a = plot__look(i), b = plot__look(j);
            assert_true(a.rgb != b.rgb || a.filled != b.filled);
            assert_true(a.rgb != b.rgb || a.dash != b.dash);
        }
    for (size_t i = 1; i < 7; i++) {
        double a = plot__luminance(plot__look(i).rgb), b = plot__luminance(plot__look(i - 1).rgb);
        bool told_apart = fabs(a - b) > 0.02 || plot__look(i).dash != plot__look(i - 1).dash;
        assert_true(told_apart);
    }
}

static void the_heat_scale_darkens_all_the_way(void **state)
{
    (void)state;
    for (int i = 1; i <= 20; i++)
        assert_true(plot__luminance(plot__heat(i / 20.0)) < plot__luminance(plot__heat((i - 1) / 20.0)));
    assert_int_equal(plot__heat(-1), plot__heat(0));
    assert_int_equal(plot__heat(NAN), plot__heat(0));
    assert_int_equal(plot__heat(7), plot__heat(1));
    /* WCAG 2.1: white is 1, black is 0. */
    assert_true(plot__luminance(0xFFFFFF) == 1 && plot__luminance(0) == 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(arms_that_differ_in_workers_only_share_a_line),
        cmocka_unit_test(every_other_attribute_makes_a_line_of_its_own_and_is_named),
        cmocka_unit_test(colours_stay_with_their_line_and_fade_with_fewer_workers),
        cmocka_unit_test(the_name_of_a_file_leaves_room_for_the_setting),
        cmocka_unit_test(the_first_lines_differ_in_colour_shape_and_grey),
        cmocka_unit_test(the_heat_scale_darkens_all_the_way),
    };
    return CASES(cases);
}
