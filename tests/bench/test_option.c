#include "bench/option.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

struct settings {
    bool fast;
    int64_t verbose, runs, size, batch;
    double ratio, budget, margin;
    const char *data;
    int backend;
    struct bench_ints workers, threads;
    struct bench_words affinity, names, scan;
};

static const char *const backends[] = {"process", "thread", NULL};
static const char *const policies[] = {"none", "compact", "scatter", NULL};
static const struct bench_word all[] = {{"all", -1}, {NULL, 0}};

static const struct bench_option table[] = {
    {.name = "fast",
     .letter = 'f',
     .kind = BENCH_OPTION_FLAG,
     BENCH_AT(struct settings, fast),
     .help = "less exact",
     .group = "How long"},
    {.name = "verbose",
     .letter = 'v',
     .kind = BENCH_OPTION_COUNT,
     BENCH_AT(struct settings, verbose),
     .help = "say more",
     .group = "How long"},
    {.name = "runs",
     .letter = 'r',
     .kind = BENCH_OPTION_INT,
     BENCH_AT(struct settings, runs),
     .min = 1,
     .max = 1000,
     .initial = "6",
     .help = "invocations",
     .group = "How long"},
    {.name = "budget",
     .kind = BENCH_OPTION_DURATION,
     BENCH_AT(struct settings, budget),
     .min = 1e9,
     .max = 86400e9,
     .initial = "60s",
     .help = "measuring time",
     .group = "How long"},
    {.name = "margin",
     .kind = BENCH_OPTION_RATIO,
     BENCH_AT(struct settings, margin),
     .min = 0.001,
     .max = 1,
     .initial = "5%",
     .kept = true,
     .help = "what counts as as good",
     .group = "How long"},
    {.name = "step",
     .kind = BENCH_OPTION_REAL,
     BENCH_AT(struct settings, ratio),
     .min = -1,
     .max = 1,
     .help = "a number",
     .group = "How long"},
    {.name = "data",
     .kind = BENCH_OPTION_TEXT,
     BENCH_AT(struct settings, data),
     .arg = "SPEC",
     .kept = true,
     .help = "where samples come from",
     .group = "Workload"},
    {.name = "cache-size",
     .kind = BENCH_OPTION_BYTES,
     BENCH_AT(struct settings, size),
     .max = 1 << 30,
     .initial = "64KiB",
     .help = "bytes kept",
     .group = "Workload"},
    {.name = "batch-size",
     .letter = 'b',
     .kind = BENCH_OPTION_INT,
     BENCH_AT(struct settings, batch),
     .min = 1,
     .max = 65536,
     .initial = "1",
     .help = "samples in a batch",
     .group = "Workload"},
    {.name = "backend",
     .kind = BENCH_OPTION_CHOICE,
     BENCH_AT(struct settings, backend),
     .choices = backends,
     .initial = "thread",
     .help = "what workers are",
     .group = "Setting"},
    {.name = "workers",
     .letter = 'w',
     .kind = BENCH_OPTION_INTS,
     BENCH_AT(struct settings, workers),
     .max = 4096,
     .initial = "0-2",
     .help = "worker processes",
     .group = "Setting"},
    {.name = "threads",
     .letter = 't',
     .kind = BENCH_OPTION_INTS,
     BENCH_AT(struct settings, threads),
     .min = 1,
     .max = 4096,
     .words = all,
     .initial = "1,all",
     .help = "threads in each",
     .group = "Setting"},
    {.name = "affinity",
     .kind = BENCH_OPTION_WORDS,
     BENCH_AT(struct settings, affinity),
     .choices = policies,
     .initial = "compact",
     .help = "where workers are pinned",
     .group = "Setting"},
    {.name = "name",
     .letter = 'n',
     .kind = BENCH_OPTION_TUPLES,
     BENCH_AT(struct settings, names),
     .arg = "NAME",
     .help = "name of the next arm",
     .group = "Setting"},
    {.name = "scan",
     .letter = 'P',
     .kind = BENCH_OPTION_TUPLES,
     BENCH_AT(struct settings, scan),
     .values = 3,
     .arg = "VAR MIN MAX",
     .help = "a parameter by range",
     .group = "Setting"},
    {.name = "secret",
     .kind = BENCH_OPTION_FLAG,
     BENCH_AT(struct settings, fast),
     .hidden = true,
     .help = "for tests",
     .group = "Setting"},
};

static const struct bench_options options = {table, sizeof table / sizeof *table};

/* Splits a line at blanks and parses it; the words live in a static buffer until the next call. */
static int parse(const char *line, struct settings *s, struct bench_parsed *parsed, struct err *err)
{
    static char buf[512];
    static char *argv[32];
    int argc = 0;
    argv[argc++] = (char *)"tune";
    snprintf(buf, sizeof buf, "%s", line);
    for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    *s = (struct settings){0};
    assert_int_equal(bench_options_init(options, s, err), 0);
    return bench_options_parse(options, argc, argv, s, parsed, err);
}

static void assert_error(const char *line, const char *text)
{
    struct settings s;
    struct bench_parsed parsed;
    struct err err = {0};
    assert_true(parse(line, &s, &parsed, &err) < 0);
    assert_string_equal(err.text, text);
    bench_options_fini(options, &s);
}

static void assert_ints(const struct bench_ints *list, size_t n, const int64_t *want)
{
    assert_int_equal(list->n, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(list->item[i], want[i]);
}

static void an_empty_line_gives_the_initial_values(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("", &s, &parsed, NULL), 0);
    assert_int_equal(s.runs, 6);
    assert_true(s.budget == 60e9 && fabs(s.margin - 0.05) < 1e-15);
    assert_int_equal(s.size, 65536);
    assert_int_equal(s.backend, 1);
    assert_null(s.data);
    assert_ints(&s.workers, 3, (const int64_t[]){0, 1, 2});
    assert_ints(&s.threads, 2, (const int64_t[]){1, -1});
    assert_int_equal(s.affinity.n, 1);
    assert_int_equal(parsed.given, 0);
    bench_options_fini(options, &s);
    assert_null(s.workers.item);
}

static void every_way_to_write_an_option_is_read(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("-fvvr12 one --batch-size=8 --workers 0,4,2-3,4 --data x -P a 1 4 -n p -n q "
                           "--affinity scatter,none --marg 1% -- --fast",
                           &s, &parsed, NULL),
                     0);
    assert_true(s.fast);
    assert_int_equal(s.verbose, 2);
    assert_int_equal(s.runs, 12);
    assert_int_equal(s.batch, 8);
    assert_ints(&s.workers, 4, (const int64_t[]){0, 4, 2, 3});
    assert_string_equal(s.data, "x");
    assert_int_equal(s.scan.n, 3);
    assert_string_equal(s.scan.item[2], "4");
    assert_int_equal(s.names.n, 2);
    assert_string_equal(s.affinity.item[0], "scatter");
    assert_true(fabs(s.margin - 0.01) < 1e-15);
    assert_int_equal(parsed.noperands, 2);
    assert_string_equal(parsed.operands[0], "one");
    assert_string_equal(parsed.operands[1], "--fast");
    assert_true(bench_option_given(options, &parsed, "workers"));
    assert_false(bench_option_given(options, &parsed, "threads"));
    bench_options_fini(options, &s);
}

static void a_range_with_a_step_counts_up_to_its_end(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("-w 0-16:8 -t all", &s, &parsed, NULL), 0);
    assert_ints(&s.workers, 3, (const int64_t[]){0, 8, 16});
    assert_ints(&s.threads, 1, (const int64_t[]){-1});
    bench_options_fini(options, &s);
}

static void help_wins_over_what_comes_after_it(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("--help --wokers", &s, &parsed, NULL), 0);
    assert_true(parsed.help);
    bench_options_fini(options, &s);
}

static void an_error_names_the_option_the_value_and_the_limit(void **state)
{
    (void)state;
    assert_error("--wokers 1", "unknown option '--wokers' (did you mean '--workers'?)");
    assert_error("--zzz=1", "unknown option '--zzz' (--help lists them)");
    assert_error("-z", "unknown option '-z' (--help lists them)");
    assert_error("-fz", "unknown option '-z' (--help lists them)");
    assert_error("--ba 1", "option '--ba' is one of several: --batch-size, --backend");
    assert_error("--fast=1", "--fast takes no value");
    assert_error("--help=1", "--help takes no value");
    assert_error("--workers", "--workers takes an argument (LIST)");
    assert_error("-P a 1", "--scan takes 3 arguments (VAR MIN MAX)");
    assert_error("--workers -1", "--workers: -1 is outside 0 to 4096");
    assert_error("--workers 2147483648", "--workers: 2147483648 is outside 0 to 4096");
    assert_error("--workers=", "--workers: '' is not a whole number");
    assert_error("--workers 1,,2", "--workers: '' is not a whole number");
    assert_error("--workers 4-1", "--workers: the range 4-1 runs backwards");
    assert_error("--workers 0-4:0", "--workers: 0 is outside 1 to 9007199254740992");
    assert_error("--threads 0", "--threads: 0 is outside 1 to 4096");
    assert_error("--threads most", "--threads: 'most' is neither a whole number nor 'all'");
    assert_error("--budget 0", "--budget: 0 is outside 1 s to 1 d");
    assert_error("--budget soon", "--budget: 'soon' is not a duration (such as 500ms, 60s, 2m)");
    assert_error("--margin 0", "--margin: 0 is outside 0.1% to 100%");
    assert_error("--cache-size 2GiB", "--cache-size: 2GiB is outside 0 B to 1 GiB");
    assert_error("--backend proces", "--backend: unknown 'proces' (did you mean 'process'?)");
    assert_error("--affinity none,zz", "--affinity: unknown 'zz' (known: none, compact, scatter)");
    assert_error("--affinity none,", "--affinity: 'none,' has an empty word");
}

static void a_list_that_is_given_again_replaces_the_first(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("-w 1,2,3 -w 7", &s, &parsed, NULL), 0);
    assert_ints(&s.workers, 1, (const int64_t[]){7});
    struct err err = {0};
    assert_int_equal(bench_option_set(options, "workers", "5", &s, &err), 0);
    assert_ints(&s.workers, 1, (const int64_t[]){5});
    assert_int_equal(bench_option_set(options, "worker", "5", &s, &err), -EINVAL);
    bench_options_fini(options, &s);
}

static void a_bad_list_leaves_the_old_one(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_true(parse("-w 3 -w 1,x", &s, &parsed, NULL) < 0);
    assert_ints(&s.workers, 1, (const int64_t[]){3});
    bench_options_fini(options, &s);
    assert_true(parse("-w 0-4096", &s, &parsed, NULL) < 0);
    bench_options_fini(options, &s);
}

static void the_echo_has_every_value_with_its_unit(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("-f --data a\"b\377 -P v 1 2", &s, &parsed, NULL), 0);
    char *echo = bench_options_echo(options, &s);
    assert_non_null(strstr(echo, "\"fast\":true"));
    assert_non_null(strstr(echo, "\"budget_ns\":60000000000.0"));
    assert_non_null(strstr(echo, "\"cache_size_bytes\":65536"));
    assert_non_null(strstr(echo, "\"data\":\"a\\\"b?\""));
    assert_non_null(strstr(echo, "\"threads\":[1,\"all\"]"));
    assert_non_null(strstr(echo, "\"backend\":\"thread\""));
    assert_non_null(strstr(echo, "\"scan\":[\"v\",\"1\",\"2\"]"));
    free(echo);
    bench_options_fini(options, &s);
}

static void options_that_are_kept_are_echoed_alone_all_or_those_that_were_given(void **state)
{
    (void)state;
    struct settings s;
    struct bench_parsed parsed;
    assert_int_equal(parse("--data x -f", &s, &parsed, NULL), 0);
    char *kept = bench_options_kept(options, NULL, &s), *given = bench_options_kept(options, &parsed, &s);
    assert_true(strstr(kept, "{\"margin\":0.05") == kept && strstr(kept, ",\"data\":\"x\"}"));
    assert_string_equal(given, "{\"data\":\"x\"}");
    free(kept);
    free(given);
    bench_options_fini(options, &s);
}

static size_t widest_line(const char *s)
{
    size_t widest = 0;
    while (*s) {
        size_t n = strcspn(s, "\n");
        widest = n > widest ? n : widest;
        s += n + (s[n] == '\n');
    }
    return widest;
}

static void help_is_grouped_and_at_most_eighty_columns_wide(void **state)
{
    (void)state;
    struct text help = {0};
    bench_options_help(options, &help);
    assert_true(widest_line(text_get(&help)) <= 80);
    assert_non_null(strstr(text_get(&help), "\nWorkload:\n      --data SPEC"));
    assert_non_null(strstr(text_get(&help), "  -b, --batch-size N          samples in a batch (1 to 65536; "
                                            "default 1)\n"));
    assert_null(strstr(text_get(&help), "secret"));
    text_fini(&help);
}

static void wrapping_keeps_words_and_paragraphs_whole(void **state)
{
    (void)state;
    struct text out = {0};
    bench_wrap(&out, "aa bb cc\n\nlonglonglong d", 2, 6);
    assert_string_equal(text_get(&out), "aa bb\n  cc\n\n  longlonglong\n  d");
    text_fini(&out);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(an_empty_line_gives_the_initial_values),
        cmocka_unit_test(every_way_to_write_an_option_is_read),
        cmocka_unit_test(a_range_with_a_step_counts_up_to_its_end),
        cmocka_unit_test(help_wins_over_what_comes_after_it),
        cmocka_unit_test(an_error_names_the_option_the_value_and_the_limit),
        cmocka_unit_test(a_list_that_is_given_again_replaces_the_first),
        cmocka_unit_test(a_bad_list_leaves_the_old_one),
        cmocka_unit_test(the_echo_has_every_value_with_its_unit),
        cmocka_unit_test(options_that_are_kept_are_echoed_alone_all_or_those_that_were_given),
        cmocka_unit_test(help_is_grouped_and_at_most_eighty_columns_wide),
        cmocka_unit_test(wrapping_keeps_words_and_paragraphs_whole),
    };
    return CASES(cases);
}
