/* `loaderbench trace`: the recorded runs of tests/golden as its JSON, and every example of docs/loader.md. */
#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command.h"
#include "testing/cmocka.h"
#include "trace_log.h"

enum { MOST_WORDS = 64 };

/* Runs one command line (words parted by single spaces); *out gets what it said on both channels. */
static int run(const char *line, char **out)
{
    char copy[1024], *argv[MOST_WORDS], *rest = copy;
    size_t bytes;
    int argc = 0;
    snprintf(copy, sizeof copy, "%s", line);
    while (rest && argc < MOST_WORDS)
        argv[argc++] = strsep(&rest, " ");
    FILE *f = open_memstream(out, &bytes);
    int code = bench_dispatch(argc, argv, f, f);
    fclose(f);
    return code;
}

static const json_t *get(const json_t *c, const char *name)
{
    return json_object_get(c, name);
}

static int64_t number(const json_t *c, const char *name)
{
    return json_integer_value(get(c, name));
}

static void write_line(const json_t *c, char *line, size_t bytes)
{
    const char *dataset = json_string_value(get(c, "dataset"));
    char data[128];
    if (!strcmp(dataset, "map"))
        snprintf(data, sizeof data, "range-map:%d", (int)number(c, "n"));
    else
        snprintf(data, sizeof data, "range-iter:%d:%d:%s", (int)number(c, "start"), (int)number(c, "end"),
                 json_string_value(get(c, "shard")));
    snprintf(line, bytes,
             "loaderbench trace --json --data %s --batch-size %d --workers %d --seed %d --epochs %d "
             "--prefetch-factor %d%s%s%s",
             data, (int)number(c, "batch_size"), (int)number(c, "num_workers"), (int)number(c, "seed"),
             (int)json_array_size(get(c, "epochs")), (int)number(c, "prefetch_factor"),
             json_is_true(get(c, "shuffle")) ? " --shuffle" : "",
             json_is_true(get(c, "drop_last")) ? " --drop-last" : "",
             json_is_true(get(c, "persistent_workers")) ? " --persistent-workers" : "");
}

static void check_case(const json_t *c)
{
    char line[512], *said, *json;
    write_line(c, line, sizeof line);
    assert_int_equal(run(line, &said), 0);
    json = strchr(said, '{'); /* warnings of the loader come before it */
    json_t *got = json_loads(json, 0, NULL);
    if (!got || !json_equal(get(got, "epochs"), get(c, "epochs")) ||
        !json_equal(get(got, "generator_state_sha256"), get(c, "generator_state_sha256")) ||
        json_object_size(got) != 2)
        fail_msg("%s\n%s", line, said);
    json_decref(got);
    free(said);
}

static void check_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/golden/%s", TEST_SOURCE_DIR, name);
    json_t *cases = json_load_file(path, 0, NULL);
    assert_true(json_array_size(cases) > 0);
    for (size_t i = 0; i < json_array_size(cases); i++)
        check_case(json_array_get(cases, i));
    json_decref(cases);
}

static void json_is_that_of_the_recorded_map_style_runs(void **state)
{
    (void)state;
    check_file("loader_map.json");
}

static void json_is_that_of_the_recorded_streams(void **state)
{
    (void)state;
    check_file("loader_iterable.json");
}

/* Does what an example says depend on the machine? With an accelerator there is no warning to show. */
static bool is_elsewhere(const char *line)
{
    void *driver = strstr(line, "--pin-memory") ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    return driver != NULL;
}

/* Runs an example; its output goes to `page` as the page shows it: indented, and without the warning that a
 * machine with one CPU gives. */
static void show(const char *line, FILE *page)
{
    char *said;
    assert_int_equal(run(line, &said), 0);
    for (char *rest = said, *one; rest && *rest;) {
        one = strsep(&rest, "\n");
        if (!strstr(one, "CPUs that this process may use"))
            fprintf(page, "%s%s\n", *one ? "    " : "", one);
    }
    free(said);
}

/* Copies the page with the output of every `    $ command` as it is now; returns how many there were. */
static int render(FILE *page, FILE *fresh)
{
    char line[512];
    int examples = 0;
    bool output = false;
    while (fgets(line, sizeof line, page)) {
        bool command = !strncmp(line, "    $ ", 6), indented = !strncmp(line, "    ", 4);
        if (command && output)
            fputs("\n", fresh); /* commands in a row are parted by an empty line */
        if (command || !output || (!indented && line[0] != '\n'))
            fprintf(fresh, "%s%s", output && !command ? "\n" : "", line);
        output = command || (output && (indented || line[0] == '\n'));
        if (!command)
            continue;
        examples++;
        output = !is_elsewhere(line);
        line[strcspn(line, "\n")] = '\0';
        if (output)
            show(line + 6, fresh);
    }
    return examples;
}

static char *read_page(FILE *page)
{
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 16) - 1, page);
    text[n] = '\0';
    rewind(page);
    return text;
}

/* To write the page's outputs anew, set TRACE_DOCS_WRITE to the page's path. */
static void every_example_of_the_page_says_what_the_page_says(void **state)
{
    (void)state;
    char folder[] = "/tmp/trace_docs_XXXXXX", path[512], *fresh = NULL;
    size_t bytes;
    snprintf(path, sizeof path, "%s/../docs/loader.md", TEST_SOURCE_DIR);
    FILE *page = fopen(path, "re");
    assert_non_null(page);
    char *now = read_page(page);
    FILE *out = open_memstream(&fresh, &bytes);
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    int examples = render(page, out);
    fclose(out);
    fclose(page);
    unlink("half.state");
    unlink("after.bin");
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_true(examples >= 10);
    const char *to = getenv("TRACE_DOCS_WRITE");
    FILE *write = to ? fopen(to, "we") : NULL;
    if (write) {
        fputs(fresh, write);
        fclose(write);
    } else {
        assert_string_equal(now, fresh);
    }
    free(now);
    free(fresh);
}

static void say(int workers, int64_t second_seed, struct text *out)
{
    struct range_data data;
    struct trace_log log = {0};
    struct trace_about about = {.data = &data, .workers = workers};
    assert_int_equal(range_data_init(&data, "range-map:2", NULL), 0);
    trace_log_begin_epoch(&log);
    for (int w = 0; w < 2; w++) {
        struct range_sample sample = {.value = w};
        size_t offset = 0;
        struct batch b = {.number = w,
                          .worker = w,
                          .worker_seed = w ? second_seed : 5,
                          .samples = 1,
                          .data = (unsigned char *)&sample,
                          .offset = &offset};
        trace_log_add(&log, &b);
    }
    trace_write_remarks(&log, &about, out);
    trace_log_fini(&log);
}

static void equal_streams_of_two_workers_are_pointed_out_and_others_are_not(void **state)
{
    (void)state;
    struct text equal = {0}, different = {0};
    say(2, 5 + (INT64_C(1) << 32), &equal);
    say(2, 6, &different);
    assert_non_null(strstr(text_get(&equal), "Workers 0 and 1 draw the same numbers"));
    assert_null(strstr(text_get(&different), "draw the same numbers"));
    text_fini(&equal);
    text_fini(&different);
}

static void refuse(const char *line, int code, const char *words)
{
    char *said;
    assert_int_equal(run(line, &said), code);
    if (!strstr(said, words))
        fail_msg("'%s' is not in: %s", words, said);
    free(said);
}

static void what_makes_no_sense_is_refused_in_one_line(void **state)
{
    (void)state;
    refuse("loaderbench trace --data range-iter:0:8:strid", 2, "did you mean 'stride'?");
    refuse("loaderbench trace --data range-map:x", 2, "'x' is not a whole number");
    refuse("loaderbench trace --data range-iter:5", 2, "range-iter takes two numbers");
    refuse("loaderbench trace --data images:photos", 2, "'images:photos' is no range");
    refuse("loaderbench trace --data range-map:0 --shuffle", 2, "num_samples should be a positive integer");
    refuse("loaderbench trace --persistent-workers", 2, "persistent_workers option needs num_workers > 0");
    refuse("loaderbench trace --prefetch-factor 3", 2, "prefetch_factor option could only be specified");
    refuse("loaderbench trace --data range-iter:0:8 --shuffle", 2, "expected unspecified shuffle option");
    refuse("loaderbench trace --load-generator /dev/null", 2,
           "a generator state has 5056 bytes, this one has 0");
    refuse("loaderbench trace --load-state /dev/null", 2, "damaged in line 1");
    refuse("loaderbench trace --save-generator /nowhere/x", 2, "cannot write '/nowhere/x'");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(json_is_that_of_the_recorded_map_style_runs),
        cmocka_unit_test(json_is_that_of_the_recorded_streams),
        cmocka_unit_test(every_example_of_the_page_says_what_the_page_says),
        cmocka_unit_test(equal_streams_of_two_workers_are_pointed_out_and_others_are_not),
        cmocka_unit_test(what_makes_no_sense_is_refused_in_one_line),
    };
    return CASES(cases);
}
