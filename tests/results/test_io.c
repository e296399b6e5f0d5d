#include "results/io.h"
#include "results/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/cmocka.h"

static char path[64];

static int fresh_path(void **state)
{
    (void)state;
    snprintf(path, sizeof path, "/tmp/lb_io_%d.jsonl", (int)getpid());
    unlink(path);
    return 0;
}

static int remove_path(void **state)
{
    (void)state;
    return unlink(path) && errno != ENOENT;
}

static struct arm make_arm(const char *name, int workers)
{
    return (struct arm){.name = strdup(name),
                        .subject = strdup("core"),
                        .workload = {strdup("synthetic"), strdup("gemm=64"), strdup("sequential"), 4},
                        .setting = {workers, 1, 2, strdup("scatter"), strdup("process")},
                        .cpus_asked = workers};
}

static void make_result(struct result *r)
{
    *r = (struct result){.schema = RESULT_SCHEMA,
                         .tool = strdup("loaderbench test"),
                         .seed = 7,
                         .alpha = 0.05,
                         .margin = 0.05,
                         .looks_planned = 3,
                         .warmup_blocks = 4,
                         .budget_ns = 60e9,
                         .cpu_budget = 2,
                         .environment = strdup("{\"cpu\":\"x\"}")};
    r->pilot = (struct pilot){3, 0.01, 0.02, 0.03, 1e9, 1e6, 5e7, 1.5, 5e7, 4};
    r->narms = 2;
    r->arms = calloc(2, sizeof *r->arms);
    r->dropped_at_look = calloc(2, sizeof(int));
    r->arms[0] = make_arm("a \"quoted\", \n\xc3\xa4", 1);
    r->arms[1] = make_arm("b", 2);
    r->invocations = calloc(1, sizeof *r->invocations);
    r->ninvocations = 1;
    struct invocation *inv = r->invocations;
    inv->cpus = calloc(2, sizeof(int));
    inv->cpus[0] = 1;
    inv->ncpus = 2;
    inv->look = 1;
    inv->fixed_work_before_ns = 1e6;
    inv->fixed_work_after_ns = NAN;
    inv->trials = calloc(1, sizeof *inv->trials);
    inv->ntrials = 1;
    struct trial *t = inv->trials;
    t->arm = 1;
    t->start_ns = 5e6;
    t->first_batch_ns = t->peak_bytes = NAN;
    t->work_flops = 1536;
    t->set_hash = strdup("00ff");
    t->timeline = calloc(2, sizeof *t->timeline);
    t->ntimeline = 2;
    t->timeline[0] = (struct batch_times){41, 1, -2000, 31000, 32000, 500};
    t->timeline[1] = (struct batch_times){42, -1, 32000, 64000, 64000, 32000};
    t->counters = calloc(2, sizeof *t->counters);
    t->ncounters = 2;
    t->counters[0] = (struct counter){.name = strdup("PAPI_TOT_INS"), NAN, NAN, .reason = strdup("no PMU")};
    t->counters[1] = (struct counter){.name = strdup("perf::page-faults"), 3, 0.5};
    t->counters[1].part = calloc(2, sizeof *t->counters[1].part);
    t->counters[1].nparts = 2;
    t->counters[1].part[0] = (struct counter_part){strdup("consumer"), 2, 1, NULL};
    t->counters[1].part[1] = (struct counter_part){strdup("worker 0"), NAN, NAN, strdup("gone")};
    t->turns = calloc(1, sizeof *t->turns);
    t->nturns = 1;
    t->turns[0] = result_turn_unknown();
    t->turns[0].block = 1;
    t->turns[0].samples = 9007199254740993; /* 2^53 + 1: not a double */
    t->turns[0].cost_ns = 1234.5678;
    t->turns[0].wait_ns[RESULT_WAIT_PIN] = 3;
    t->turns[0].items = calloc(1, sizeof *t->turns[0].items);
    histogram_add(t->turns[0].items, 1000);
    histogram_add(t->turns[0].items, 5000000);
}

static void write_result(struct result *r, bool footer)
{
    struct result_writer *w;
    struct err err = {0};
    assert_int_equal(result_writer_open(path, r, &w, &err), 0);
    assert_int_equal(result_writer_invocation(w, &r->invocations[0], &err), 0);
    bool dropped[2] = {true, false};
    assert_int_equal(result_writer_look(w, 2, false, dropped, 2, &err), 0);
    assert_int_equal(result_writer_pilot(w, &r->pilot, &err), 0);
    assert_int_equal(result_writer_failure(w, 3, 1, "worker 0 died", &err), 0);
    if (footer)
        assert_int_equal(result_writer_footer(w, r, &err), 0);
    result_writer_close(w);
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    struct result r, back;
    struct err err = {0};
    make_result(&r);
    write_result(&r, true);
    assert_int_equal(result_read(path, &back, &err), 0);
    assert_string_equal(back.arms[0].name, r.arms[0].name);
    assert_string_equal(back.environment, r.environment);
    assert_int_equal(back.arms[1].setting.workers, 2);
    assert_string_equal(back.arms[1].failure, "worker 0 died");
    assert_null(back.arms[0].failure);
    assert_int_equal(back.looks_planned, 3);
    assert_int_equal(back.warmup_blocks, 4);
    assert_memory_equal(&back.pilot, &r.pilot, sizeof r.pilot);
    assert_true(back.complete);
    assert_null(back.damage);
    assert_int_equal(back.dropped_at_look[0], 2);
    assert_int_equal(back.dropped_at_look[1], 0);
    assert_int_equal(back.ninvocations, 1);
    const struct invocation *inv = &back.invocations[0];
    assert_int_equal(inv->cpus[0], 1);
    assert_true(isnan(inv->fixed_work_after_ns));
    const struct turn *t = &inv->trials[0].turns[0];
    assert_true(t->samples == 9007199254740993);
    assert_true(fabs(t->cost_ns - 1234.5678) < 1e-6);
    assert_true(isnan(t->item_ns));
    assert_true(t->wait_ns[RESULT_WAIT_PIN] == 3);
    assert_true(t->items->total == 2 && t->items->max == 5000000);
    assert_memory_equal(t->items->count, r.invocations[0].trials[0].turns[0].items->count,
                        sizeof t->items->count);
    assert_string_equal(inv->trials[0].counters[0].reason, "no PMU");
    assert_true(inv->trials[0].work_flops == 1536);
    assert_int_equal(inv->trials[0].ntimeline, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct batch_times *a = &inv->trials[0].timeline[i],
                                 *b = &r.invocations[0].trials[0].timeline[i];
        assert_true(a->number == b->number && a->worker == b->worker && a->started_ns == b->started_ns &&
                    a->finished_ns == b->finished_ns && a->received_ns == b->received_ns &&
                    a->wait_ns == b->wait_ns);
    }
    assert_true(isnan(inv->trials[0].counters[0].value));
    const struct counter *faults = &inv->trials[0].counters[1];
    assert_int_equal(faults->nparts, 2);
    assert_string_equal(faults->part[0].who, "consumer");
    assert_true(faults->part[0].value == 2 && faults->part[0].share == 1 && !faults->part[0].reason);
    assert_string_equal(faults->part[1].reason, "gone");
    assert_true(isnan(faults->part[1].value));
    result_fini(&r);
    result_fini(&back);
}

static void batches_that_no_clock_could_have_told_are_left_out_of_a_timeline(void **state)
{
    (void)state;
    json_t *list =
        json_loads("[[1, 0, 0, 5, 6, 1], [2, 0, 9, 5, 6, 1], [3, 0, 0, 7, 6, 1], [4, 0, 0, 5, 6, -1],"
                   " [5, 0, 0, 5, 6], \"x\", [6, 0, 0, \"5\", 6, 1], [7, 1, -4, 5, 5, 0]]",
                   0, NULL);
    struct batch_times *b;
    size_t n;
    assert_int_equal(result_json_get_timeline(list, &b, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_true(b[0].number == 1 && b[1].number == 7 && b[1].started_ns == -4);
    free(b);
    json_decref(list);
    assert_int_equal(result_json_get_timeline(NULL, &b, &n, NULL), 0);
    assert_true(n == 0 && !b);
}

static void a_file_that_exists_is_never_overwritten(void **state)
{
    (void)state;
    struct result r;
    struct result_writer *w;
    struct err err = {0};
    make_result(&r);
    write_result(&r, true);
    assert_int_equal(result_writer_open(path, &r, &w, &err), -EEXIST);
    assert_null(w);
    assert_non_null(strstr(err.text, path));
    result_fini(&r);
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
    (void)state;
    struct result r;
    struct result_writer *w;
    struct err err = {0};
    make_result(&r);
    assert_int_equal(result_writer_open("/dev/full/x", &r, &w, &err), -ENOTDIR);
    result_fini(&r);
}

/* Cut at every byte: always readable, or refused as "no header" while the header itself is cut. */
static void a_file_cut_anywhere_is_readable_and_says_so(void **state)
{
    (void)state;
    struct result r;
    make_result(&r);
    write_result(&r, true);
    FILE *f = fopen(path, "r");
    static char whole[1 << 16];
    size_t n = fread(whole, 1, sizeof whole, f);
    fclose(f);
    size_t header = (size_t)(strchr(whole, '\n') - whole);
    for (size_t cut = 0; cut + 1 < n; cut += cut < header ? 37 : 1) {
        f = fopen(path, "w");
        fwrite(whole, 1, cut, f);
        fclose(f);
        struct result back;
        struct err err = {0};
        int rc = result_read(path, &back, &err);
        assert_int_equal(rc, cut < header ? -EINVAL : 0);
        if (!rc && cut < n - 1 && whole[cut] != '\n' && whole[cut - 1] != '\n')
            assert_non_null(back.damage);
        if (!rc)
            result_fini(&back);
    }
    result_fini(&r);
}

static void nonsense_in_the_middle_names_its_line(void **state)
{
    (void)state;
    struct result r, back;
    struct err err = {0};
    make_result(&r);
    write_result(&r, false);
    FILE *f = fopen(path, "a");
    fputs("NaN\n{\"type\":\"footer\"}\n", f);
    fclose(f);
    assert_int_equal(result_read(path, &back, &err), -EINVAL);
    assert_non_null(strstr(err.text, ":7: not JSON"));
    result_fini(&r);
}

static void numbers_that_are_none_are_refused_with_their_line(void **state)
{
    (void)state;
    static const char *const numbers[] = {"NaN", "Infinity", "-Infinity", "1e999", "9223372036854775808",
                                          "0x10"};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct result r, back;
        struct err err = {0};
        make_result(&r);
        write_result(&r, false);
        FILE *f = fopen(path, "a");
        fprintf(f, "{\"type\":\"trial\",\"arm\":0,\"start_ns\":%s}\n{\"type\":\"footer\"}\n", numbers[i]);
        fclose(f);
        assert_int_equal(result_read(path, &back, &err), -EINVAL);
        if (!strstr(err.text, ":7: not JSON"))
            fail_msg("%s: %s", numbers[i], err.text);
        result_fini(&r);
        unlink(path);
    }
}

static void values_near_2_to_the_53_and_63_come_back(void **state)
{
    (void)state;
    static const double costs[] = {9007199254740991.0, 9007199254740992.0, 9223372036854774784.0, 1e-9};
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        struct result r, back;
        make_result(&r);
        r.invocations[0].trials[0].turns[0].cost_ns = costs[i];
        write_result(&r, true);
        assert_int_equal(result_read(path, &back, NULL), 0);
        double got = back.invocations[0].trials[0].turns[0].cost_ns;
        assert_true(fabs(got / costs[i] - 1) < 1e-9); /* ten digits are written */
        result_fini(&r);
        result_fini(&back);
        unlink(path);
    }
}

static void another_schema_version_is_refused_with_both_numbers(void **state)
{
    (void)state;
    struct result back;
    struct err err = {0};
    FILE *f = fopen(path, "w");
    fputs("{\"type\":\"header\",\"schema\":99}\n", f);
    fclose(f);
    assert_int_equal(result_read(path, &back, &err), -EPROTO);
    assert_non_null(strstr(err.text, "99"));
    assert_non_null(strstr(err.text, "version 1"));
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_read_back, fresh_path, remove_path),
        cmocka_unit_test(batches_that_no_clock_could_have_told_are_left_out_of_a_timeline),
        cmocka_unit_test_setup_teardown(a_file_that_exists_is_never_overwritten, fresh_path, remove_path),
        cmocka_unit_test_setup_teardown(a_full_disk_is_an_error_that_names_the_file, fresh_path, remove_path),
        cmocka_unit_test_setup_teardown(a_file_cut_anywhere_is_readable_and_says_so, fresh_path, remove_path),
        cmocka_unit_test_setup_teardown(nonsense_in_the_middle_names_its_line, fresh_path, remove_path),
        cmocka_unit_test_setup_teardown(numbers_that_are_none_are_refused_with_their_line, fresh_path,
                                        remove_path),
        cmocka_unit_test_setup_teardown(values_near_2_to_the_53_and_63_come_back, fresh_path, remove_path),
        cmocka_unit_test_setup_teardown(another_schema_version_is_refused_with_both_numbers, fresh_path,
                                        remove_path),
    };
    return CASES(cases);
}
