/* Any command line (one word a line) against a table with every kind of option: refused with a reason, or read into
 * values that lie within their limits. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bench/option.h"
#include "testing/fuzz.h"

struct settings {
    bool flag;
    int64_t count, number, size;
    double real, budget, ratio;
    const char *text;
    int choice;
    struct bench_ints ints;
    struct bench_words words, tuples;
};

static const char *const choices[] = {"none", "compact", "scatter", NULL};
static const struct bench_word all[] = {{"all", -1}, {NULL, 0}};

static const struct bench_option table[] = {
    {"flag", 'f', BENCH_OPTION_FLAG, BENCH_AT(struct settings, flag), .help = "x"},
    {"count", 'c', BENCH_OPTION_COUNT, BENCH_AT(struct settings, count), .help = "x"},
    {"number", 'n', BENCH_OPTION_INT, BENCH_AT(struct settings, number), .max = 9, .words = all, .help = "x"},
    {"real", 0, BENCH_OPTION_REAL, BENCH_AT(struct settings, real), .min = -1, .max = 1, .help = "x"},
    {"budget", 'b', BENCH_OPTION_DURATION, BENCH_AT(struct settings, budget), .help = "x"},
    {"ratio", 0, BENCH_OPTION_RATIO, BENCH_AT(struct settings, ratio), .max = 1, .help = "x"},
    {"size", 's', BENCH_OPTION_BYTES, BENCH_AT(struct settings, size), .help = "x"},
    {"text", 't', BENCH_OPTION_TEXT, BENCH_AT(struct settings, text), .help = "x"},
    {"choice", 0, BENCH_OPTION_CHOICE, BENCH_AT(struct settings, choice), .choices = choices, .help = "x"},
    {"ints", 'i', BENCH_OPTION_INTS, BENCH_AT(struct settings, ints), .max = 4096, .words = all, .help = "x"},
    {"words", 'w', BENCH_OPTION_WORDS, BENCH_AT(struct settings, words), .help = "x"},
    {"tuples", 'P', BENCH_OPTION_TUPLES, BENCH_AT(struct settings, tuples), .values = 3, .help = "x"},
};

static void check(const struct settings *s)
{
    assert(s->number >= -1 && s->number <= 9);
    assert(s->real >= -1 && s->real <= 1 && s->ratio >= 0 && s->ratio <= 1);
    assert(s->budget >= 0 && s->size >= 0 && s->choice >= 0 && s->choice < 3);
    assert(s->ints.n <= BENCH_LIST_MAX && s->words.n <= BENCH_LIST_MAX);
    for (size_t i = 0; i < s->ints.n; i++)
        assert(s->ints.item[i] >= -1 && s->ints.item[i] <= 4096);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { WORDS = 24 };
    const struct bench_options options = {table, sizeof table / sizeof *table};
    char *line = strndup((const char *)data, size), *rest = line;
    if (!line)
        abort();
    char *argv[WORDS + 1] = {(char *)"x"};
    int argc = 1;
    for (char *word; argc < WORDS && (word = strsep(&rest, "\n"));)
        argv[argc++] = word;
    struct settings s = {0};
    struct bench_parsed parsed;
    struct err err = {0};
    if (bench_options_parse(options, argc, argv, &s, &parsed, &err))
        assert(err.code && err.text[0]);
    else
        check(&s);
    char *echo = bench_options_echo(options, &s);
    assert(echo);
    free(echo);
    bench_options_fini(options, &s);
    free(line);
    return 0;
}
