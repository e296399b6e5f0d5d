#include "plots/report.h"

#include <errno.h>
#include <sha256.h>

#include "files.h"
#include "fixture.h"
#include "html.h"
#include "report_assets.h"
#include "report_parts.h"
#include "testing/cmocka.h"

static const char *const hostile[] = {
    "<script>alert(1)</script>",
    "\" onmouseover=\"alert(1)",
    "' onfocus='alert(1)' autofocus='",
    "</title></style></script><img src=x onerror=alert(1)>",
    "[link](javascript:alert(1)) `code` | *cell* ![x](http://example.org/x)",
    "&lt;b&gt; &#60;i&#62; \xF0\x9F\x98\x80",
    "line\nbreak\r\n# heading\n- list",
    "=HYPERLINK(\"http://example.org\")",
};

static size_t count(const char *text, const char *word)
{
    size_t n = 0;
    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        n++;
    return n;
}

static char *html_of(const struct summary *const *s, size_t n, const struct report_options *opt)
{
    struct text out = {0};
    struct err pictures = {0}, err = {0};
    assert_int_equal(report_html(s, n, opt, &out, &pictures, &err), 0);
    assert_string_equal(pictures.text, "");
    assert_int_equal(strlen(text_get(&out)), out.len);
    return text_take(&out);
}

/* A page about made-up results, with all pictures: page_fini. */
struct page {
    struct fixture f;
    char *text;
};

static struct page *page_of(void **state, struct fixture_spec spec)
{
    struct place *place = *state;
    struct report_options opt = {.scratch = place->dir};
    struct page *page = malloc(sizeof *page);
    assert_non_null(page);
    fixture_init(&page->f, &spec);
    page->text = html_of(page->f.list, 1, &opt);
    return page;
}

static void page_fini(struct page *page)
{
    free(page->text);
    fixture_fini(&page->f);
    free(page);
}

static void a_page_refers_to_nothing_outside(void **state)
{
    struct page *made = page_of(state, fixture_of(8));
    const char *page = made->text;
    static const char *const ways_out[] = {"http:",   "https:",  "src=\"//", "@import", "url(",
                                           "<iframe", "<object", "<embed",   "<base",   "<form"};
    for (size_t i = 0; i < sizeof ways_out / sizeof *ways_out; i++)
        if (strstr(page, ways_out[i]))
            fail_msg("the page has %s", ways_out[i]);
    assert_int_equal(count(page, "<script"), 1);
    /* All src and href are data or places on the page. */
    assert_int_equal(count(page, " src=\""), count(page, " src=\"data:image/"));
    assert_int_equal(count(page, " href=\""), count(page, " href=\"data:") + count(page, " href=\"#"));
    page_fini(made);
}

static void the_page_has_every_setting_picture_and_landmark(void **state)
{
    struct page *made = page_of(state, fixture_of(8));
    const char *page = made->text;
    const struct fixture *f = &made->f;
    for (size_t a = 0; a < f->result.narms; a++) {
        struct text row = {0};
        text_addf(&row, "<th scope=\"row\" class=\"left\">%s</th>", f->result.arms[a].name);
        assert_int_equal(count(page, text_get(&row)), 1);
        text_fini(&row);
    }
    size_t kinds = 0;
    for (size_t i = 0; plot_list[i]; i++)
        kinds += !plot_missing(plot_list[i], f->list, 1);
    assert_int_equal(count(page, "<figure id=\"picture-"), kinds);
    assert_int_equal(count(page, "<img "), kinds);
    assert_int_equal(count(page, "<img "), count(page, "\" alt=\""));
    assert_int_equal(count(page, "alt=\"\""), 0);
    assert_int_equal(count(page, "<main>") + count(page, "<header>"), 2);
    assert_int_equal(count(page, "<details>"), f->result.narms + 1);
    assert_non_null(strstr(page, "<html lang=\"en\">"));
    page_fini(made);
}

/* The check stands beside each setting but the best; a figure without an interval says so. */
static void each_figure_has_its_interval_or_says_why_not(void **state)
{
    struct fixture_spec spec = fixture_of(8);
    struct page *made = page_of(state, spec);
    size_t others = made->f.result.narms - 1;
    assert_int_equal(count(made->text, "By the trimmed mean"), others);
    assert_true(count(made->text, " (of one invocation ") >= others); /* some neighbours are too alike */
    page_fini(made);
    spec.invocations = 3;
    made = page_of(state, spec);
    assert_int_equal(count(made->text, " (of one invocation "), 0);
    assert_true(count(made->text, "(n = 3: no interval)") >= others + 1);
    page_fini(made);
}

static void nothing_is_left_in_the_scratch_folder(void **state)
{
    page_fini(page_of(state, fixture_of(2)));
    assert_int_equal(count_files(*state), 0);
}

static void hostile_words_stay_words_in_html(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    struct place *place = *state;
    spec.names = hostile;
    fixture_init(&f, &spec);
    char **words[] = {&f.result.environment,
                      &f.result.command,
                      &f.result.tool,
                      &f.result.cpu_budget_text,
                      &f.result.started,
                      &f.result.arms[0].workload.data,
                      &f.result.arms[1].setting.affinity};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        free(*words[i]);
        *words[i] = fixture_copy(hostile[i]);
    }
    struct report_words said = {hostile[0], hostile[1], hostile[3]};
    struct report_finding found = {"bad", hostile[0], hostile[1], hostile[3]};
    struct report_options opt = {.scratch = place->dir, .words = &said, .findings = &found, .nfindings = 1};
    char *page = html_of(f.list, 1, &opt);
    assert_int_equal(count(page, "<script"), 1);
    assert_int_equal(count(page, "<img "), count(page, "<img src=\"data:"));
    assert_int_equal(count(page, "</title>"), 1);
    assert_int_equal(count(page, "What doctor found"), 1);
    assert_int_equal(count(page, "</style>"), 1);
    assert_null(strstr(page, "alert(1)\""));
    assert_null(strstr(page, "\" onmouseover"));
    assert_null(strstr(page, "' onfocus"));
    assert_non_null(strstr(page, "&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert_non_null(strstr(page, "&amp;lt;b&amp;gt; &amp;#60;i&amp;#62;"));
    free(page);
    fixture_fini(&f);
}

/* Markdown about results, its pictures in the place, which it calls `folder`; the caller frees it. */
static char *markdown_of(void **state, const struct fixture *f, const char *folder)
{
    struct place *place = *state;
    struct text out = {0};
    struct report_options opt = {0};
    assert_int_equal(report_markdown(f->list, 1, &opt, place->dir, folder, &out, NULL, NULL), 0);
    return text_take(&out);
}

static void hostile_words_stay_words_in_markdown(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.names = hostile;
    fixture_init(&f, &spec);
    char *page = markdown_of(state, &f, "a b(c)");
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "](javascript"));
    assert_null(strstr(page, "\n# heading"));
    assert_null(strstr(page, "\n- list"));
    assert_non_null(strstr(page, "(a%20b%28c%29/workers.svg)"));
    assert_non_null(strstr(page, "\\[link\\]\\(javascript:alert\\(1\\)\\) \\`code\\` \\| \\*cell\\*"));
    /* Every row of the table has as many cells as the head. */
    for (const char *line = strstr(page, "| Setting"); line && *line == '|'; line = strchr(line, '\n') + 1) {
        size_t bars = 0;
        for (const char *c = line; *c != '\n'; c++)
            bars += *c == '|' && (c == line || c[-1] != '\\');
        assert_int_equal(bars, report_ncolumns + 1);
    }
    free(page);
    fixture_fini(&f);
}

static void markdown_links_only_pictures_that_are_there(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    struct place *place = *state;
    fixture_init(&f, &spec);
    char *page = markdown_of(state, &f, "pictures");
    size_t links = 0;
    for (const char *at = page; (at = strstr(at, "](pictures/")); links++) {
        char name[80];
        at += strlen("](pictures/");
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ")"), at);
        assert_int_equal(access(path_in(place, name), F_OK), 0);
    }
    assert_true(links > 8);
    free(page);
    fixture_fini(&f);
}

static void without_gnuplot_the_page_says_so_and_has_the_rest(void **state)
{
    struct fixture f;
    struct fixture_spec spec = fixture_of(2);
    struct place *place = *state;
    fixture_init(&f, &spec);
    struct text out = {0};
    struct err err = {0}, pictures = {0};
    struct report_options opt = {.gnuplot = "/nowhere/gnuplot", .scratch = place->dir};
    assert_int_equal(report_html(f.list, 1, &opt, &out, &pictures, &err), 0);
    assert_int_equal(pictures.code, -ENOTSUP);
    assert_null(strstr(text_get(&out), "<img "));
    assert_non_null(strstr(text_get(&out), "Pictures are missing: cannot start"));
    assert_non_null(strstr(text_get(&out), "<table"));
    assert_int_equal(count_files(place), 0);
    text_fini(&out);
    opt = (struct report_options){.scratch = "/proc/nothing"};
    assert_int_equal(report_html(f.list, 1, &opt, &out, &pictures, &err), 0);
    assert_non_null(strstr(text_get(&out), "/proc/nothing"));
    text_fini(&out);
    fixture_fini(&f);
}

static void nothing_measured_makes_a_page_that_says_so(void **state)
{
    struct fixture_spec spec = fixture_of(2);
    spec.invocations = 0;
    struct page *made = page_of(state, spec);
    assert_non_null(strstr(made->text, "Nothing usable was measured"));
    page_fini(made);
}

static void forty_settings_with_all_pictures_stay_below_two_megabytes(void **state)
{
    struct fixture_spec spec = fixture_of(40);
    spec.invocations = 24;
    struct page *made = page_of(state, spec);
    assert_true(strlen(made->text) < REPORT_MOST_BYTES);
    assert_null(strstr(made->text, "too large"));
    page_fini(made);
}

static void two_results_share_a_page(void **state)
{
    struct fixture f, g;
    struct fixture_spec spec = fixture_of(8);
    struct place *place = *state;
    fixture_init(&f, &spec);
    spec.one_ns *= 1.2;
    fixture_init(&g, &spec);
    f.result.path = fixture_copy("a/old.jsonl");
    g.result.path = fixture_copy("a/new.jsonl");
    const struct summary *both[] = {f.summary, g.summary};
    struct report_options opt = {.scratch = place->dir};
    char *page = html_of(both, 2, &opt);
    assert_int_equal(count(page, "class=\"verdict\""), 2);
    assert_int_equal(count(page, "<table class=\"settings\""), 2);
    assert_non_null(strstr(page, "a/new.jsonl"));
    free(page);
    fixture_fini(&f);
    fixture_fini(&g);
}

static void the_policy_names_the_digest_of_the_script(void **state)
{
    (void)state;
    SHA2_CTX sha;
    unsigned char digest[SHA256_DIGEST_LENGTH];
    char hex[2 * SHA256_DIGEST_LENGTH + 1];
    SHA256Init(&sha);
    SHA256Update(&sha, (const unsigned char *)report_js, strlen(report_js));
    SHA256Final(digest, &sha);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(hex, report_js_sha256);
}

static void rows_are_one_a_turn_and_no_formulas(void **state)
{
    (void)state;
    struct fixture f;
    struct fixture_spec spec = fixture_of(8);
    spec.names = hostile;
    fixture_init(&f, &spec);
    struct text rows = {0};
    const char *what;
    report_rows(&f.result, 1 << 20, &rows, &what);
    assert_string_equal(what, "one row a turn");
    assert_int_equal(count(text_get(&rows), "\r\n"),
                     1 + f.result.ninvocations * 8 * (size_t)(spec.blocks + 1));
    assert_null(strstr(text_get(&rows), ",\"=HYPER"));
    assert_non_null(strstr(text_get(&rows), ",\"'=HYPERLINK(\"\"http"));
    char cost[64];
    snprintf(cost, sizeof cost, ",%.9g,", f.result.invocations[3].trials[2].turns[1].cost_ns);
    assert_int_equal(count(text_get(&rows), cost), 1);
    text_fini(&rows);
    fixture_fini(&f);
}

static void pictures_lose_only_what_draws_nothing(void **state)
{
    (void)state;
    struct text t = {0};
    html_add_slim_svg(&t, "<svg \n width='1'>\n<g fill=\"none\">\n</g>\n<g id='a'>\n\t<g b=\"c\"> </g>"
                          "<path d='M1 2 '/>\t<text>a  b</text> \n</g>\n<g x>y</g>\n</svg>\n");
    assert_string_equal(text_get(&t),
                        "<svg\nwidth='1'>\n<g id='a'>\n<path d='M1 2 '/>\t<text>a  b</text>\n</g>\n"
                        "<g x>y</g>\n</svg>\n");
    text_fini(&t);
}

static void base64_is_that_of_the_standard(void **state)
{
    (void)state;
    /* RFC 4648, section 10. */
    static const char *const vectors[][2] = {{"", ""},
                                             {"f", "Zg=="},
                                             {"fo", "Zm8="},
                                             {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg=="},
                                             {"fooba", "Zm9vYmE="},
                                             {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        struct text t = {0};
        html_add_base64(&t, vectors[i][0], strlen(vectors[i][0]));
        assert_string_equal(text_get(&t), vectors[i][1]);
        text_fini(&t);
    }
}

static void json_gets_lines_and_broken_json_stays(void **state)
{
    (void)state;
    struct text t = {0};
    report_indent_json(&t, "{\"a\":[1,2],\"b\":\"x,{\\\"y\",\"c\":{}}");
    assert_string_equal(text_get(&t),
                        "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": \"x,{\\\"y\",\n  \"c\": {}\n}");
    text_fini(&t);
    report_indent_json(&t, "}}\"\\");
    assert_string_equal(text_get(&t), "}}\"\\");
    text_fini(&t);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
    const struct CMUnitTest cases[] = {
        CASE(a_page_refers_to_nothing_outside),
        CASE(the_page_has_every_setting_picture_and_landmark),
        CASE(each_figure_has_its_interval_or_says_why_not),
        CASE(nothing_is_left_in_the_scratch_folder),
        CASE(hostile_words_stay_words_in_html),
        CASE(hostile_words_stay_words_in_markdown),
        CASE(markdown_links_only_pictures_that_are_there),
        CASE(without_gnuplot_the_page_says_so_and_has_the_rest),
        CASE(nothing_measured_makes_a_page_that_says_so),
        CASE(forty_settings_with_all_pictures_stay_below_two_megabytes),
        CASE(two_results_share_a_page),
        cmocka_unit_test(the_policy_names_the_digest_of_the_script),
        cmocka_unit_test(rows_are_one_a_turn_and_no_formulas),
        cmocka_unit_test(pictures_lose_only_what_draws_nothing),
        cmocka_unit_test(base64_is_that_of_the_standard),
        cmocka_unit_test(json_gets_lines_and_broken_json_stays),
    };
    return CASES(cases);
}
