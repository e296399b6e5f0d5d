/* Files of sessions that were stopped: who may go on with them, from where, and what is kept. */
#include "results/io.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "building.h"
#include "testing/cmocka.h"

static char path[64];

static int fresh_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/lb_io_open_%d.jsonl", (int)getpid());
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path) && errno != ENOENT;
}

/* Two arms, two invocations. */
static struct result make(void)
{
    struct result r = building_create((struct shape){2, 2, 1, 2});
    r.session = strdup("{\"command\":\"tune\"}");
    r.started = strdup("2026-01-31T12:00:00Z");
    r.budget_ns = 60e9;
    for (size_t a = 0; a < 2; a++) {
        r.arms[a].name = strdup(a ? "b" : "a");
        r.arms[a].subject = strdup("core");
        r.arms[a].workload = (struct workload){.data = strdup("synthetic"),
                                               .transform = strdup("copy"),
                                               .sampler = strdup("sequential"),
                                               .batch_size = 1};
        r.arms[a].setting.affinity = strdup("scatter");
        r.arms[a].setting.backend = strdup("process");
    }
    for (size_t i = 0; i < 2; i++) {
        struct invocation *inv = &r.invocations[i];
        inv->ended_ns = 1e9 * (double)(i + 1);
        inv->took_ns = 9e8;
        inv->block_ns = 1e7;
        inv->blocks = 1;
        inv->look_at = 6;
    }
    return r;
}

static void put(struct result *r, bool footer)
{
    struct result_writer *w;
    assert_int_equal(result_writer_open(path, r, &w, NULL), 0);
    for (size_t i = 0; i < r->ninvocations; i++)
        assert_int_equal(result_writer_invocation(w, &r->invocations[i], NULL), 0);
    if (footer)
        assert_int_equal(result_writer_footer(w, r, NULL), 0);
    result_writer_close(w);
}

static void add(const char *text)
{
    FILE *f = fopen(path, "a");
    fputs(text, f);
    fclose(f);
}

static void cut(off_t bytes)
{
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(truncate(path, st.st_size - bytes), 0);
}

static void refused(int code, const char *words)
{
    struct result r;
    struct result_writer *w;
    struct err err = {0};
    struct stat before, after;
    int there = !stat(path, &before);
    assert_int_equal(result_writer_reopen(path, &r, &w, &err), code);
    assert_null(w);
    assert_null(r.arms);
    if (!strstr(err.text, words))
        fail_msg("%s", err.text);
    assert_true(!there || (!stat(path, &after) && after.st_size == before.st_size));
}

static const struct pause a_pause = {.date = (char *)"2026-01-31T15:00:00Z",
                                     .command = (char *)"loaderbench tune --resume x",
                                     .pause_ns = 3600e9,
                                     .spent_ns = 2e9,
                                     .budget_ns = 90e9,
                                     .invocations = 2};

/* Goes on, one invocation more, to the end; reads it back. */
static struct result finish(int64_t cut_bytes)
{
    struct result r, back;
    struct result_writer *w;
    struct err err = {0};
    if (result_writer_reopen(path, &r, &w, &err))
        fail_msg("%s", err.text);
    assert_null(r.damage);
    assert_int_equal(result_writer_cut_bytes(w), cut_bytes);
    assert_int_equal(result_writer_resumed(w, &a_pause, NULL), 0);
    struct invocation more = r.invocations[r.ninvocations - 1];
    more.index++;
    assert_int_equal(result_writer_invocation(w, &more, NULL), 0);
    r.interrupted = false;
    assert_int_equal(result_writer_footer(w, &r, NULL), 0);
    result_writer_close(w);
    size_t before = r.ninvocations;
    result_fini(&r);
    assert_int_equal(result_read(path, &back, &err), 0);
    assert_int_equal(back.ninvocations, before + 1);
    assert_true(back.complete && !back.interrupted && !back.damage);
    for (size_t i = 0; i < back.ninvocations; i++) {
        assert_int_equal(back.invocations[i].index, i);
        assert_int_equal(back.invocations[i].ntrials, 2);
    }
    return back;
}

static void how_it_went_is_read_back(void **state)
{
    (void)state;
    struct result r = make();
    r.invocations[1].void_reason = strdup("b: gone");
    r.invocations[1].void_arm = 1;
    put(&r, false);
    struct result back = finish(0);
    assert_int_equal(back.npauses, 1);
    assert_string_equal(back.pauses[0].date, a_pause.date);
    assert_string_equal(back.pauses[0].command, a_pause.command);
    assert_true(back.pauses[0].pause_ns == 3600e9 && back.pauses[0].spent_ns == 2e9);
    assert_int_equal(back.pauses[0].invocations, 2);
    assert_true(back.budget_ns == 90e9);
    assert_string_equal(back.session, r.session);
    const struct invocation *inv = &back.invocations[1];
    assert_true(inv->ended_ns == 2e9 && inv->took_ns == 9e8 && inv->block_ns == 1e7);
    assert_int_equal(inv->blocks, 1);
    assert_int_equal(inv->look_at, 6);
    assert_int_equal(inv->void_arm, 1);
    assert_true(back.spent_ns == 2e9);
    result_fini(&back);
    result_fini(&r);
}

static void what_was_cut_or_belongs_to_no_invocation_is_cut_off(void **state)
{
    (void)state;
#define TRIAL "{\"type\":\"trial\",\"arm\":0,\"turns\":[]}"
    static const char failure[] = "{\"type\":\"failure\",\"arm\":1,\"error\":\"x\"}\n" TRIAL "\n{\"type";
    static const char *const tails[] = {"{\"type\":\"tri", TRIAL "\n", TRIAL, failure};
#undef TRIAL
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct result r = make();
        put(&r, false);
        add(tails[i]);
        struct result back = finish((int64_t)strlen(tails[i]));
        assert_null(back.arms[1].failure);
        result_fini(&back);
        result_fini(&r);
        unlink(path);
    }
}

static void a_last_line_that_only_lacks_its_end_is_kept(void **state)
{
    (void)state;
    struct result r = make();
    put(&r, false);
    cut(1);
    struct result back = finish(0);
    assert_int_equal(back.ninvocations, 3);
    result_fini(&back);
    result_fini(&r);
}

static void an_interrupted_session_is_not_over(void **state)
{
    (void)state;
    struct result r = make();
    r.interrupted = true;
    r.spent_ns = 2.5e9;
    put(&r, true);
    struct result back = finish(0);
    assert_true(back.spent_ns == 2.5e9);
    result_fini(&back);
    result_fini(&r);
}

static void a_finished_session_is_refused(void **state)
{
    (void)state;
    struct result r = make();
    put(&r, true);
    refused(-EALREADY, "is finished: its session came to its end after 2 invocations");
    result_fini(&r);
}

static void a_file_that_does_not_say_how_it_was_begun_is_refused(void **state)
{
    (void)state;
    struct result r = make();
    free(r.session);
    r.session = NULL;
    put(&r, false);
    refused(-ENOTSUP, "does not say how its session was begun");
    result_fini(&r);
}

static void a_setting_that_is_not_all_there_is_refused(void **state)
{
    (void)state;
    struct result r = make();
    free(r.arms[1].workload.data);
    r.arms[1].workload.data = strdup("raw:\377"); /* no UTF-8: null in the file */
    put(&r, false);
    refused(-ENOTSUP, "does not say all of its setting 'b'");
    result_fini(&r);
}

static void what_is_no_file_of_a_session_is_refused(void **state)
{
    (void)state;
    refused(-ENOENT, path);
    add("");
    refused(-ENODATA, "is empty");
    add("{\"type\":\"header\",\"sche");
    refused(-EINVAL, "no header");
    unlink(path);
    assert_int_equal(mkdir(path, 0777), 0);
    refused(-EISDIR, path);
    rmdir(path);
    assert_int_equal(mkfifo(path, 0666), 0);
    refused(-EINVAL, "no regular file");
}

static void a_file_has_one_writer(void **state)
{
    (void)state;
    struct result r = make(), first, second;
    struct result_writer *w, *other;
    assert_int_equal(result_writer_open(path, &r, &w, NULL), 0);
    refused(-EBUSY, "is being written by another process");
    result_writer_close(w);
    assert_int_equal(result_writer_reopen(path, &first, &w, NULL), 0);
    refused(-EBUSY, "is being written by another process");
    result_writer_close(w);
    assert_int_equal(result_writer_reopen(path, &second, &other, NULL), 0);
    result_writer_close(other);
    result_fini(&first);
    result_fini(&second);
    result_fini(&r);
}

static void a_pause_is_what_the_clock_shows_beyond_the_measuring_time(void **state)
{
    (void)state;
    struct result r = make();
    r.spent_ns = 60e9;
    assert_true(result_pause_ns(&r, "2026-01-31T13:01:00Z") == 3600e9);
    assert_true(result_pause_ns(&r, "2026-01-31T12:00:30Z") == 0); /* a clock that was set back */
    assert_true(isnan(result_pause_ns(&r, "yesterday")));
    r.npauses = 1;
    r.pauses = calloc(1, sizeof *r.pauses);
    r.pauses[0] = (struct pause){.date = strdup("2026-01-31T15:00:00Z"), .spent_ns = 60e9};
    r.spent_ns = 70e9;
    assert_true(result_pause_ns(&r, "2026-01-31T15:00:40Z") == 30e9);
    result_fini(&r);
}

#define FILE_CASE(f) cmocka_unit_test_setup_teardown(f, fresh_path, remove_path)

int main(void)
{
    const struct CMUnitTest cases[] = {
        FILE_CASE(how_it_went_is_read_back),
        FILE_CASE(what_was_cut_or_belongs_to_no_invocation_is_cut_off),
        FILE_CASE(a_last_line_that_only_lacks_its_end_is_kept),
        FILE_CASE(an_interrupted_session_is_not_over),
        FILE_CASE(a_finished_session_is_refused),
        FILE_CASE(a_file_that_does_not_say_how_it_was_begun_is_refused),
        FILE_CASE(a_setting_that_is_not_all_there_is_refused),
        FILE_CASE(what_is_no_file_of_a_session_is_refused),
        FILE_CASE(a_file_has_one_writer),
        cmocka_unit_test(a_pause_is_what_the_clock_shows_beyond_the_measuring_time),
    };
    return CASES(cases);
}
