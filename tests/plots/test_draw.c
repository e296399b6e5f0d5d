#include "plots/latency.h"
#include "plots/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"
#include "fixture.h"
#include "testing/cmocka.h"

static void expect_picture(const struct place *p, const char *name)
{
    char file[80];
    size_t size;
    snprintf(file, sizeof file, "%s.svg", name);
    char *svg = content(p, file, &size);
    assert_non_null(svg);
    assert_non_null(strstr(svg, "</svg>"));
    free(svg);
    snprintf(file, sizeof file, "%s.png", name);
    char *png = content(p, file, &size);
    assert_non_null(png);
    assert_true(size > 5000);
    assert_memory_equal(png, "\x89PNG\r\n\x1a\n", 8);
    free(png);
}

static void draw_main(const struct place *p, const struct fixture *f)
{
    struct err err = {0};
    struct plot_options opt = {.dir = p->dir};
    int rc = plot_draw(plot_find("workers"), f->list, 1, &opt, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(rc, 0);
    expect_picture(p, "workers");
}

static void the_main_picture_is_drawn_for_1_2_8_and_40_arms(void **state)
{
    static const size_t arms[] = {1, 2, 8, 40};
    for (size_t i = 0; i < 4; i++) {
        struct fixture f;
        struct fixture_spec spec = fixture_of(arms[i]);
        fixture_init(&f, &spec);
        assert_int_equal(f.result.narms, arms[i]);
        draw_main(*state, &f);
        fixture_fini(&f);
    }
}

static void a_pdf_is_made_on_request(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    struct err err = {0};
    fixture_init(&f, &spec);
    struct plot_options opt = {.dir = p->dir, .formats = PLOT_PDF};
    assert_int_equal(plot_draw(plot_find("timeline"), f.list, 1, &opt, &err), 0);
    size_t size;
    char *pdf = content(p, "timeline.pdf", &size);
    assert_non_null(pdf);
    assert_true(size > 3000);
    assert_memory_equal(pdf, "%PDF-", 5);
    free(pdf);
    assert_int_equal(count_files(p), 3); /* and its script and data */
    fixture_fini(&f);
}

static void plain_gnuplot_redraws_the_very_picture(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    draw_main(p, &f);
    size_t before_size, after_size;
    char *before = content(p, "workers.svg", &before_size);
    char *png_before = content(p, "workers.png", &before_size);
    unlink(path_in(p, "workers.svg"));
    unlink(path_in(p, "workers.png"));
    char command[256];
    snprintf(command, sizeof command, "cd %s && gnuplot workers.gp", p->dir);
    assert_int_equal(system(command), 0);
    char *after = content(p, "workers.svg", NULL);
    char *png_after = content(p, "workers.png", &after_size);
    assert_non_null(after);
    assert_string_equal(before, after);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(png_before, png_after, before_size);
    free(before);
    free(after);
    free(png_before);
    free(png_after);
    fixture_fini(&f);
}

static void the_main_pictures_data_are_the_estimates(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    draw_main(*state, &f);
    char *dat = content(*state, "workers.dat", NULL);
    for (size_t a = 0; a < f.result.narms; a++) {
        const struct estimate *e = &f.summary->arms[a].cost_ns;
        char row[200];
        snprintf(row, sizeof row, " %d %.9g %.9g %.9g %d ", f.result.arms[a].setting.workers, e->value / 1e6,
                 (e->ci.known ? e->ci.low : e->value) / 1e6, (e->ci.known ? e->ci.high : e->value) / 1e6,
                 f.result.arms[a].cpus_asked > 2);
        assert_non_null(strstr(dat, row));
    }
    free(dat);
    fixture_fini(&f);
}

static const char *const hostile[] = {
    "\"; system('touch HACKED'); \"",
    "'\nsystem \"touch HACKED\"\n'",
    "`touch HACKED`",
    "$(touch HACKED) @HOME {/Symbol a}_b^c",
    "100% %s %n %d \\",
    "<script>alert(1)</script>&amp;&lt;",
    "gr\xC3\xB6\xC3\x9F"
    "er Arbeiter \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E, a name that is far too long to be shown in full "
    "anywhere",
    "}{ # not a comment \xFF\xFE",
};

static void hostile_names_are_drawn_and_never_run(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.names = hostile;
    fixture_init(&f, &spec);
    for (size_t i = 0; i < 8; i++) {
        free(f.result.arms[i].setting.affinity);
        f.result.arms[i].setting.affinity = fixture_copy(hostile[i]);
        free(f.result.arms[i].workload.transform);
        f.result.arms[i].workload.transform = fixture_copy(hostile[7 - i]);
    }
    struct err err = {0};
    struct plot_options opt = {.dir = p->dir};
    bool drawn[32];
    size_t n = 0;
    while (plot_list[n])
        n++;
    assert_int_equal(plot_draw_many(plot_list, n, f.list, 1, &opt, drawn, &err), 0);
    assert_int_equal(access(path_in(p, "HACKED"), F_OK), -1);
    assert_int_equal(access("HACKED", F_OK), -1);
    for (size_t i = 0; i < n; i++) {
        char name[80];
        snprintf(name, sizeof name, "%s.svg", plot_list[i]->name);
        char *svg = drawn[i] ? content(p, name, NULL) : NULL;
        assert_true(!svg || !strstr(svg, "<script"));
        free(svg);
    }
    fixture_fini(&f);
}

static void a_name_in_the_picture_reads_as_it_was_given(void **state)
{
    static const char *const names[] = {"#5%6_x^{a}<b>&\"c\"\\'d'"};
    struct fixture f;
    struct fixture_spec spec = fixture_of(1);
    spec.names = names;
    fixture_init(&f, &spec);
    draw_main(*state, &f);
    char *svg = content(*state, "workers.svg", NULL);
    assert_non_null(strstr(svg, "recommended: #5%6_x^{a}&lt;b>&amp;"));
    free(svg);
    fixture_fini(&f);
}

static void without_gnuplot_script_and_data_are_kept(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    fixture_init(&f, &spec);
    struct err err = {0};
    struct plot_options opt = {.dir = p->dir, .gnuplot = "/nowhere/gnuplot"};
    assert_int_equal(plot_draw(plot_find("workers"), f.list, 1, &opt, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "/nowhere/gnuplot"));
    assert_non_null(strstr(err.text, p->dir));
    assert_int_equal(access(path_in(p, "workers.gp"), F_OK), 0);
    assert_int_equal(access(path_in(p, "workers.dat"), F_OK), 0);
    fixture_fini(&f);
}

/* A program that stands in for gnuplot. */
static char *make_program(const struct place *p, const char *body)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/fake", p->dir);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", body);
    fclose(f);
    chmod(path, 0755);
    return path;
}

static int draw_with(const struct place *p, const char *body, double timeout_ns, struct err *err)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    fixture_init(&f, &spec);
    struct plot_options opt = {.dir = p->dir, .gnuplot = make_program(p, body), .timeout_ns = timeout_ns};
    int rc = plot_draw(plot_find("workers"), f.list, 1, &opt, err);
    fixture_fini(&f);
    return rc;
}

static void an_old_gnuplot_is_refused_with_both_versions(void **state)
{
    struct err err = {0};
    assert_int_equal(draw_with(*state, "echo gnuplot 5.0 patchlevel 1", 0, &err), -ENOTSUP);
    assert_non_null(strstr(err.text, "5.0"));
    assert_non_null(strstr(err.text, "5.2"));
}

static void a_failing_gnuplot_is_quoted_in_the_error(void **state)
{
    struct err err = {0};
    const char *body = "[ \"$1\" = --version ] && { echo gnuplot 5.4 patchlevel 4; exit; }\n"
                       "echo '\"workers.gp\" line 3: no such terminal' >&2; exit 1";
    assert_int_equal(draw_with(*state, body, 0, &err), -EIO);
    assert_non_null(strstr(err.text, "line 3: no such terminal"));
    assert_non_null(strstr(err.text, "kept"));
}

static void a_gnuplot_that_says_done_but_drew_nothing_is_an_error(void **state)
{
    struct err err = {0};
    assert_int_equal(draw_with(*state, "echo gnuplot 6.0 patchlevel 0", 0, &err), -EIO);
    assert_non_null(strstr(err.text, "no picture"));
}

static void a_hanging_gnuplot_is_ended(void **state)
{
    struct err err = {0};
    const char *body = "[ \"$1\" = --version ] && { echo gnuplot 5.4 patchlevel 4; exit; }\nsleep 100";
    assert_int_equal(draw_with(*state, body, 200e6, &err), -ETIMEDOUT);
    assert_non_null(strstr(err.text, "200 ms"));
}

static void a_folder_that_cannot_be_written_is_named(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    fixture_init(&f, &spec);
    struct err err = {0};
    struct plot_options opt = {.dir = "/proc/nothing/here"};
    assert_true(plot_draw(plot_find("workers"), f.list, 1, &opt, &err) < 0);
    assert_non_null(strstr(err.text, "/proc/nothing/here"));
    err = (struct err){0};
    fclose(fopen(path_in(p, "file"), "w"));
    opt.dir = path_in(p, "file");
    assert_int_equal(plot_draw(plot_find("workers"), f.list, 1, &opt, &err), -ENOTDIR);
    fixture_fini(&f);
}

static void nothing_measured_is_said_and_not_drawn(void **state)
{
    struct place *p = *state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    spec.invocations = 0;
    fixture_init(&f, &spec);
    struct err err = {0};
    struct plot_options opt = {.dir = p->dir};
    assert_int_equal(plot_draw(plot_find("workers"), f.list, 1, &opt, &err), -ENODATA);
    assert_string_equal(err.text, "workers cannot be drawn: nothing was measured");
    fixture_fini(&f);
}

/* All kinds that have data; what is wrong is named with the case. */
static void draw_everything(const struct place *p, const struct fixture *f, const char *what)
{
    struct err err = {0};
    bool drawn[64];
    size_t n = 0;
    while (plot_list[n])
        n++;
    struct plot_options opt = {.dir = p->dir, .formats = PLOT_SVG};
    if (plot_draw_many(plot_list, n, f->list, 1, &opt, drawn, &err))
        fail_msg("%s: %s", what, err.text);
    for (size_t i = 0; i < n; i++) {
        const char *why = plot_missing(plot_list[i], f->list, 1);
        if (drawn[i] == (why != NULL))
            fail_msg("%s: %s is %s", what, plot_list[i]->name, drawn[i] ? "drawn" : "not drawn");
    }
}

static void every_kind_is_drawn_for_one_arm_and_for_forty(void **state)
{
    static const size_t arms[] = {1, 2, 40};
    for (size_t i = 0; i < 3; i++) {
        struct fixture f;
        struct fixture_spec spec = fixture_of(arms[i]);
        char what[32];
        snprintf(what, sizeof what, "%zu arms", arms[i]);
        fixture_init(&f, &spec);
        draw_everything(*state, &f, what);
        for (size_t k = 0; plot_list[k];
             k++) /* the fixture has data for all but the history of several results */
            assert_int_equal(plot_missing(plot_list[k], f.list, 1) != NULL,
                             plot_list[k] == plot_find("history"));
        fixture_fini(&f);
    }
}

static void every_kind_is_drawn_from_one_invocation_and_from_equal_values(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.invocations = 1;
    fixture_init(&f, &spec);
    draw_everything(*state, &f, "one invocation");
    fixture_fini(&f);
    spec.invocations = 12;
    spec.all_equal = true;
    fixture_init(&f, &spec);
    draw_everything(*state, &f, "all equal");
    fixture_fini(&f);
}

static void zero(struct estimate *e)
{
    *e = (struct estimate){.value = 0, .ci = {0, 0, 0.95, true}, .n = 12, .n_effective = 12};
}

/* No reading of a clock makes these; a file may have them all the same. */
static void every_kind_is_drawn_where_all_is_zero(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    for (size_t a = 0; a < f.result.narms; a++) {
        struct arm_summary *s = &f.summary->arms[a];
        zero(&s->cost_ns);
        zero(&s->rate_per_s);
        zero(&s->item_ns);
        zero(&s->cpu_ns);
        zero(&s->to_best);
        for (int w = 0; w < RESULT_WAIT_CAUSES; w++)
            zero(&s->wait_ns[w]);
    }
    for (size_t a = 0; a < f.result.narms; a++) {
        struct trial *t = &f.result.invocations[0].trials[a];
        for (size_t i = 0; i < t->ntimeline; i++)
            t->timeline[i] = (struct batch_times){.number = (int64_t)i, .worker = t->timeline[i].worker};
    }
    draw_everything(*state, &f, "all zero");
    fixture_fini(&f);
}

/* Arms that were never measured, arms without a timeline, turns without item times. */
static void every_kind_is_drawn_when_rows_are_missing(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.no_items = true;
    fixture_init(&f, &spec);
    for (size_t i = 0; i < f.result.ninvocations; i++)
        for (size_t a = 0; a < f.result.narms; a += 3) {
            struct trial *t = &f.result.invocations[i].trials[a];
            t->nturns = t->ncounters = 0; /* the rest of them is still freed with the arrays */
            t->ntimeline = 0;
            free(t->placement);
            t->placement = NULL;
            free(t->counters[0].name);
        }
    summary_destroy(f.summary);
    struct err err = {0};
    assert_int_equal(summary_create(&f.result, 0.95, &f.summary, &err), 0);
    f.list[0] = f.summary;
    draw_everything(*state, &f, "missing rows");
    fixture_fini(&f);
}

static void one_invocation_equal_values_and_zero_cost_are_drawn(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.invocations = 1;
    fixture_init(&f, &spec);
    draw_main(*state, &f);
    fixture_fini(&f);
    spec.invocations = 12;
    spec.all_equal = true;
    fixture_init(&f, &spec);
    draw_main(*state, &f);
    fixture_fini(&f);
    /* The statistics void a cost of zero; a summary that holds one is drawn all the same. */
    fixture_init(&f, &spec);
    for (size_t a = 0; a < f.result.narms; a++)
        f.summary->arms[a].cost_ns =
            (struct estimate){.value = 0, .ci = {0, 0, 0.95, true}, .n = 12, .n_effective = 12};
    draw_main(*state, &f);
    fixture_fini(&f);
}

/* Worker counts 0, 1, 2, 4 are too few for a law; 1 to 32 are enough, and the law meets what was measured. */
static void a_law_is_drawn_only_where_it_can_be_fitted(void **state)
{
    static const size_t arms[] = {8, 40};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        struct fixture_spec spec = fixture_of(arms[i]);
        struct err err = {0};
        struct place *p = *state;
        struct plot_options opt = {.dir = p->dir, .formats = PLOT_SVG};
        fixture_init(&f, &spec);
        assert_int_equal(plot_draw(plot_find("rate"), f.list, 1, &opt, &err), 0);
        char *dat = content(p, "rate.dat", NULL), *script = content(p, "rate.gp", NULL);
        assert_int_equal(strstr(dat, "# law of 1 thread") != NULL, arms[i] == 40);
        static const char *const names[] = {"title \"sigma ", "title \"kappa ", "title \"peak at "};
        for (int k = 0; k < 3; k++) { /* each with its interval, and how many invocations there are */
            const char *said = strstr(script, names[k]);
            double value, low, high;
            assert_int_equal(said != NULL, arms[i] == 40);
            if (said && (sscanf(said + strlen(names[k]), "%lf (%lf .. %lf)", &value, &low, &high) != 3 ||
                         low > value || value > high))
                fail_msg("the law says %.60s", said);
        }
        assert_int_equal(strstr(script, "), n = 12\"") != NULL, arms[i] == 40);
        free(dat);
        free(script);
        fixture_fini(&f);
    }
}

static void two_results_are_laid_over_each_other(void **state)
{
    struct fixture f, g;
    struct fixture_spec spec = fixture_of(8);
    struct place *p = *state;
    struct err err = {0};
    bool drawn[64];
    size_t n = 0;
    fixture_init(&f, &spec);
    spec.one_ns *= 1.3;
    fixture_init(&g, &spec);
    f.result.path = fixture_copy("old.jsonl");
    g.result.path = fixture_copy("dir/new.jsonl");
    const struct summary *both[] = {f.summary, g.summary};
    struct plot_options opt = {.dir = p->dir, .formats = PLOT_SVG};
    while (plot_list[n])
        n++;
    assert_int_equal(plot_draw_many(plot_list, n, both, 2, &opt, drawn, &err), 0);
    char *svg = content(p, "workers.svg", NULL);
    assert_non_null(strstr(svg, "old: 1 thread<"));
    assert_non_null(strstr(svg, "new: 2 threads<"));
    free(svg);
    for (size_t i = 0; i < n; i++) /* all but the running order, which is that of one result */
        assert_int_equal(drawn[i], plot_missing(plot_list[i], both, 2) == NULL);
    assert_non_null(plot_missing(plot_find("order"), both, 2));
    fixture_fini(&f);
    fixture_fini(&g);
}

static void the_latency_matrix_is_drawn_as_measured(void **state)
{
    static const double ns[] = {NAN, 100, 400, 100, NAN, 410, 400, 410, NAN};
    static const int cpus[] = {0, 1, 8};
    struct place *p = *state;
    struct err err = {0};
    struct plot_options opt = {.dir = p->dir};
    assert_int_equal(plot_latency(ns, cpus, 3, &opt, &err), 0);
    expect_picture(p, "latency");
    struct rows r = read_rows(p, "latency.dat");
    assert_int_equal(r.n, 6);
    for (size_t i = 0; i < r.n; i++)
        assert_true(r.v[i][2] == ns[3 * (int)r.v[i][1] + (int)r.v[i][0]]);
    free_rows(&r);
    static const double nothing[] = {NAN, NAN, NAN, NAN};
    assert_int_equal(plot_latency(nothing, NULL, 2, &opt, &err), -ENODATA);
    err = (struct err){0};
    assert_int_equal(plot_latency(ns, NULL, 1, &opt, &err), -EINVAL);
}

static void the_terminal_picture_has_its_title_and_fits(void **state)
{
    (void)state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    fixture_init(&f, &spec);
    struct text out = {0};
    struct err err = {0};
    struct plot_options opt = {.columns = 72, .rows = 22};
    assert_int_equal(plot_terminal(plot_find("workers"), f.list, 1, &opt, &out, &err), 0);
    assert_non_null(strstr(text_get(&out), "Cost of a sample against workers"));
    size_t width = 0;
    for (const char *line = text_get(&out), *end; (end = strchr(line, '\n')); line = end + 1) {
        char buf[512];
        snprintf(buf, sizeof buf, "%.*s", (int)(end - line), line);
        width = text_columns(buf) > width ? text_columns(buf) : width;
    }
    assert_true(width > 40 && width <= 72);
    text_fini(&out);
    fixture_fini(&f);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest cases[] = {
        CASE(the_main_picture_is_drawn_for_1_2_8_and_40_arms),
        CASE(a_pdf_is_made_on_request),
        CASE(plain_gnuplot_redraws_the_very_picture),
        CASE(the_main_pictures_data_are_the_estimates),
        CASE(hostile_names_are_drawn_and_never_run),
        CASE(a_name_in_the_picture_reads_as_it_was_given),
        CASE(without_gnuplot_script_and_data_are_kept),
        CASE(an_old_gnuplot_is_refused_with_both_versions),
        CASE(a_failing_gnuplot_is_quoted_in_the_error),
        CASE(a_gnuplot_that_says_done_but_drew_nothing_is_an_error),
        CASE(a_hanging_gnuplot_is_ended),
        CASE(a_folder_that_cannot_be_written_is_named),
        CASE(nothing_measured_is_said_and_not_drawn),
        CASE(every_kind_is_drawn_for_one_arm_and_for_forty),
        CASE(every_kind_is_drawn_from_one_invocation_and_from_equal_values),
        CASE(every_kind_is_drawn_where_all_is_zero),
        CASE(every_kind_is_drawn_when_rows_are_missing),
        CASE(one_invocation_equal_values_and_zero_cost_are_drawn),
        CASE(a_law_is_drawn_only_where_it_can_be_fitted),
        CASE(two_results_are_laid_over_each_other),
        CASE(the_latency_matrix_is_drawn_as_measured),
        CASE(the_terminal_picture_has_its_title_and_fits),
    };
    return CASES(cases);
}
