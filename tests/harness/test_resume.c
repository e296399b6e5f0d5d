/* Sessions that go on after they were stopped, against one that never was: the plan of every invocation is the same,
 * wherever the file was cut. */
#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/clock.h"
#include "room.h"

enum { MOST_BYTES = 1 << 20, ENOUGH = 12 };

/* A subject that tells the seed it was given, and whose turns take what it is told. */
static void add_fake(struct room *r, const char *name, const char *each)
{
    room_add_subject(r, name, "", each, "\\\"order_hash\\\": \\\"$seed\\\"");
    struct arm *a = &r->result.arms[r->result.narms - 1];
    char *words;
    assert_true(asprintf(&words, "sh -c 'read -r l; seed=${l##*seed??}; seed=${seed%%%%[!0-9]*}; %s",
                         a->subject + strlen("sh -c 'read -r l; ")) > 0);
    free(a->subject);
    a->subject = words;
}

static void set_path(char path[64], const char *which)
{
    snprintf(path, 64, "/tmp/lb_resume_%d_%s.jsonl", (int)getpid(), which);
    unlink(path);
}

static void stop_when_enough(void *arg, const struct session_progress *p)
{
    (void)arg;
    if (strcmp(p->step, "invocation") == 0 && p->invocation > ENOUGH) /* the next one's */
        room_stop = 1;
}

static int run_to_file(struct room *r, const char *path)
{
    r->result.looks_planned = session_looks(&r->cfg);
    r->result.session = strdup("{}");
    assert_int_equal(result_writer_open(path, &r->result, &r->cfg.writer, NULL), 0);
    int rc = room_run(r);
    result_writer_close(r->cfg.writer);
    return rc;
}

/* The session of `r`, but from the file. */
static int go_on(struct room *r, const char *path, struct result *out, struct err *err)
{
    struct session_config cfg = r->cfg;
    cfg.result = out;
    cfg.resume = true;
    room_stop = 0;
    int rc = result_writer_reopen(path, out, &cfg.writer, err);
    if (rc)
        return rc;
    out->pauses = realloc(out->pauses, (out->npauses + 1) * sizeof *out->pauses);
    out->pauses[out->npauses++] = (struct pause){.date = strdup("2026-01-31T12:00:00Z"),
                                                 .command = strdup("test"),
                                                 .spent_ns = out->spent_ns,
                                                 .budget_ns = out->budget_ns,
                                                 .invocations = (int64_t)out->ninvocations};
    rc = session_run(&cfg, err);
    result_writer_close(cfg.writer);
    return rc;
}

static size_t slurp(const char *path, char *text)
{
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, MOST_BYTES, f);
    assert_true(n < MOST_BYTES);
    fclose(f);
    return n;
}

static void spit(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    fclose(f);
}

static void check_turns(const struct trial *a, const struct trial *b)
{
    assert_int_equal(a->arm, b->arm);
    assert_int_equal(a->nturns, b->nturns);
    for (size_t i = 0; i < a->nturns; i++) {
        assert_int_equal(a->turns[i].block, b->turns[i].block);
        assert_int_equal(a->turns[i].slot, b->turns[i].slot);
        assert_int_equal(a->turns[i].batches, b->turns[i].batches);
    }
    assert_true(!a->order_hash == !b->order_hash);
    if (a->order_hash)
        assert_string_equal(a->order_hash, b->order_hash); /* the seed */
}

/* All that is decided before anything is measured; b may have been stopped later. */
static void check_plan(const struct result *a, const struct result *b)
{
    assert_true(b->ninvocations >= a->ninvocations);
    assert_true(b->ninvocations == a->ninvocations || a->interrupted);
    for (size_t i = 0; i < a->ninvocations; i++) {
        const struct invocation *x = &a->invocations[i], *y = &b->invocations[i];
        assert_int_equal(x->index, y->index);
        assert_int_equal(x->look, y->look);
        assert_int_equal(x->blocks, y->blocks);
        assert_int_equal(!x->void_reason, !y->void_reason);
        assert_int_equal(x->ncpus, y->ncpus);
        assert_memory_equal(x->cpus, y->cpus, x->ncpus * sizeof *x->cpus);
        assert_int_equal(x->ntrials, y->ntrials);
        for (size_t t = 0; t < x->ntrials; t++)
            check_turns(&x->trials[t], &y->trials[t]);
    }
    for (size_t i = 0; i < a->narms; i++) {
        assert_int_equal(a->dropped_at_look[i], b->dropped_at_look[i]);
        assert_int_equal(!a->arms[i].failure, !b->arms[i].failure);
    }
}

/* Where a file is cut: behind each of its lines, and `more` bytes further. */
struct cuts {
    size_t more;
    bool whole;        /* only behind whole invocations, looks and pilots */
    const char *after; /* only behind a line with this in it; NULL = anywhere */
};

static bool is_cut_here(const struct cuts *c, const char *begin, const char *line, const char *end)
{
    static const char trial[] = "{\"type\":\"trial\"";
    bool after = !c->after || memmem(begin, (size_t)(end - begin), c->after, strlen(c->after));
    return after && !(c->whole && !strncmp(line, trial, sizeof trial - 1));
}

static void go_on_from(struct room *r, const char *path, const struct result *unbroken, int ended)
{
    struct result now, back;
    struct err err = {0};
    int rc = go_on(r, path, &now, &err);
    if (rc != ended)
        fail_msg("cut: %s", err.text);
    assert_int_equal(result_read(path, &back, &err), 0);
    assert_null(back.damage);
    assert_int_equal(back.npauses, 1);
    check_plan(unbroken, &now);
    check_plan(unbroken, &back);
    result_fini(&now);
    result_fini(&back);
}

/* Runs the room's session to its end; then cuts its file, goes on and compares, once for each place. */
static void cut_everywhere(struct room *r, const struct cuts *cuts)
{
    static char whole[MOST_BYTES];
    char path[64], cut[64];
    set_path(path, "whole");
    set_path(cut, "cut");
    int ended = run_to_file(r, path), n = 0;
    if (ended && ended != -EINTR)
        fail_msg("%s", r->err.text);
    size_t bytes = slurp(path, whole);
    for (const char *line = whole, *end; (end = memchr(line, '\n', bytes - (size_t)(line - whole)));
         line = end + 1) {
        size_t keep = (size_t)(end - whole) + 1 + cuts->more;
        if (keep >= bytes || !is_cut_here(cuts, whole, line, end))
            continue;
        spit(cut, whole, keep);
        go_on_from(r, cut, &r->result, ended);
        n++;
    }
    assert_true(n >= 2);
    unlink(path);
    unlink(cut);
}

static void a_fixed_number_of_invocations_goes_on_as_if_it_had_never_stopped(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", ":");
    add_fake(r, "b", "t=$((b * 250000))");
    add_fake(r, "c", "t=900000");
    r->cfg.invocations = 3;
    cut_everywhere(r, &(struct cuts){0});
}

static void a_line_that_was_cut_does_not_count(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", ":");
    add_fake(r, "b", "t=$((b * 250000))");
    r->cfg.invocations = 3;
    cut_everywhere(r, &(struct cuts){.more = 20});
}

static void groups_go_on_as_groups(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", ":");
    add_fake(r, "b", "t=$((b * 250000))");
    add_fake(r, "c", "t=900000");
    r->result.together_max = 2;
    r->cfg.invocations = 3;
    cut_everywhere(r, &(struct cuts){0});
}

/* One setting drops out at the first look; the others go on. */
static void looks_and_those_who_dropped_out_are_remembered(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", "t=$((900000 + seed % 2 * 90000))"); /* noise that is the same again */
    add_fake(r, "b", "t=$((900000 + seed / 2 % 2 * 90000))");
    add_fake(r, "slow", "sleep 0.003; t=3000000");
    r->cfg.invocations = 0;
    r->cfg.eliminate = true;
    r->cfg.progress = stop_when_enough;
    r->result.budget_ns = 1000e9;
    cut_everywhere(r, &(struct cuts){.whole = true});
    assert_int_equal(r->result.dropped_at_look[2], 1);
}

/* It fails in the third and fourth invocation, and is out then. */
static void an_arm_that_was_taken_out_stays_out(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", ":");
    add_fake(r, "fails", "[ $seed -lt 5 ] || exit 3; :");
    add_fake(r, "b", ":");
    r->cfg.invocations = 4;
    cut_everywhere(r, &(struct cuts){0});
    assert_non_null(r->result.arms[1].failure);
    assert_int_equal(room_count_void(&r->result), 2);
}

/* What the pilot chose stands in the file, and is not chosen again. */
static void what_the_pilot_chose_stays(void **state)
{
    struct room *r = *state;
    add_fake(r, "a", "t=$((900000 + n * 7 % 5 * 20000))");
    add_fake(r, "b", "t=$((900000 + n * 5 % 7 * 10000))");
    r->cfg.invocations = 5;
    r->cfg.blocks = 0;
    cut_everywhere(r, &(struct cuts){.after = "\"type\":\"pilot\""});
    assert_int_equal(r->result.pilot.invocations, 3);
}

/* Stopped in the pilot, or right behind it: it is made of all its invocations, and only once. */
static void a_pilot_that_was_cut_is_made_good(void **state)
{
    static char whole[MOST_BYTES];
    struct room *r = *state;
    char path[64];
    set_path(path, "pilot");
    add_fake(r, "a", ":");
    add_fake(r, "b", ":");
    r->cfg.invocations = 5;
    r->cfg.blocks = 0;
    assert_int_equal(run_to_file(r, path), 0);
    size_t n = slurp(path, whole);
    const char *pilot = memmem(whole, n, "{\"type\":\"pilot\"", 15), *cut = pilot;
    assert_non_null(pilot);
    for (int lines = 0; lines < 4; lines++) { /* back into the last invocation */
        struct result now;
        struct err err = {0};
        spit(path, whole, (size_t)(cut - whole));
        if (go_on(r, path, &now, &err))
            fail_msg("%s", err.text);
        assert_int_equal(now.pilot.invocations, 3);
        assert_int_equal(now.ninvocations, 5);
        assert_int_equal(now.invocations[4].blocks, now.pilot.blocks);
        result_fini(&now);
        cut = memrchr(whole, '\n', (size_t)(cut - whole - 1));
        cut += 1;
    }
    unlink(path);
}

static void a_file_of_another_plan_is_refused(void **state)
{
    static char whole[MOST_BYTES];
    struct room *r = *state;
    char path[64];
    struct result now;
    struct err err = {0};
    set_path(path, "other");
    add_fake(r, "a", ":");
    add_fake(r, "b", ":");
    r->cfg.invocations = 50;
    r->cfg.progress = stop_when_enough;
    assert_int_equal(run_to_file(r, path), -EINTR);
    size_t n = slurp(path, whole);
    char *seed = memmem(whole, n, "\"seed\":3", 8);
    seed[7] = '4';
    spit(path, whole, n);
    assert_int_equal(go_on(r, path, &now, &err), -EPROTO);
    assert_non_null(strstr(err.text, "of the file has "));
    result_fini(&now);
    static char after[MOST_BYTES];
    assert_int_equal(slurp(path, after), n); /* and left as it is */
    assert_memory_equal(after, whole, n);
    unlink(path);
}

static void time_spent_before_counts_into_the_budget(void **state)
{
    struct room *r = *state;
    char path[64];
    struct result now;
    struct err err = {0};
    set_path(path, "spent");
    add_fake(r, "a", ":");
    add_fake(r, "b", ":");
    r->cfg.invocations = 0;
    r->stop_at_turn = 20;
    assert_int_equal(run_to_file(r, path), -EINTR);
    assert_true(r->result.spent_ns > 0 && r->result.ninvocations > 0);
    r->stop_at_turn = 0;
    struct result_writer *w;
    assert_int_equal(result_writer_reopen(path, &now, &w, &err), 0);
    result_writer_close(w);
    assert_true(fabs(now.spent_ns - r->result.spent_ns) < 1e6);
    size_t before = now.ninvocations;
    struct session_config cfg = r->cfg;
    cfg.writer = NULL;
    cfg.result = &now;
    cfg.resume = true;
    room_stop = 0;
    now.spent_ns = now.budget_ns - 1e3; /* nothing that fits is left */
    assert_int_equal(session_run(&cfg, &err), 0);
    assert_true(now.complete && now.ninvocations == before && now.spent_ns >= now.budget_ns - 1e3);
    result_fini(&now);
    unlink(path);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    const struct CMUnitTest tests[] = {
        ROOM_CASE(a_fixed_number_of_invocations_goes_on_as_if_it_had_never_stopped),
        ROOM_CASE(a_line_that_was_cut_does_not_count),
        ROOM_CASE(groups_go_on_as_groups),
        ROOM_CASE(looks_and_those_who_dropped_out_are_remembered),
        ROOM_CASE(an_arm_that_was_taken_out_stays_out),
        ROOM_CASE(what_the_pilot_chose_stays),
        ROOM_CASE(a_pilot_that_was_cut_is_made_good),
        ROOM_CASE(a_file_of_another_plan_is_refused),
        ROOM_CASE(time_spent_before_counts_into_the_budget),
    };
    return CASES(tests);
}
