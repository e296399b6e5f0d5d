/* `tune` twice, one after the other: the same recommendation, or the two are said to be tied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "results/io.h"
#include "results/summary.h"
#include "testing/cmocka.h"

struct answer {
    struct result result;
    struct summary *summary;
};

static void tune(const char *arguments, struct answer *out)
{
    struct program p;
    char script[512], path[256];
    struct err err = {0};
    program_init(&p);
    snprintf(script, sizeof script, "exec \"$LB\" tune --unfit-ok %s --no-plots -q -o t.jsonl", arguments);
    int code = program_run(&p, script);
    char *table = program_out(&p), *messages = program_err(&p);
    print_message("%s", table);
    if (code)
        fail_msg("exit %d: %s", code, messages);
    snprintf(path, sizeof path, "%s/t.jsonl", p.folder);
    if (result_read(path, &out->result, &err) || summary_create(&out->result, 0.95, &out->summary, &err))
        fail_msg("%s", err.text);
    free(table);
    free(messages);
    assert_int_equal(program_fini(&p), 0);
}

static bool leaves_open(const struct choice *c, int arm)
{
    for (size_t i = 0; i < c->nopen; i++)
        if (c->open[i] == arm)
            return c->state != CHOICE_DECIDED;
    return false;
}

/* They contradict one another when neither says that the other's choice is still possible. */
static bool agree(const struct choice *a, const struct choice *b)
{
    return a->arm == b->arm || leaves_open(a, b->arm) || leaves_open(b, a->arm);
}

static void expect_agreement(const char *arguments)
{
    struct answer a, b;
    tune(arguments, &a);
    tune(arguments, &b);
    if (!agree(&a.summary->choice, &b.summary->choice))
        fail_msg("once '%s', then '%s', and neither says that they are tied",
                 a.result.arms[a.summary->choice.arm].name, b.result.arms[b.summary->choice.arm].name);
    summary_destroy(a.summary);
    summary_destroy(b.summary);
    result_fini(&a.result);
    result_fini(&b.result);
}

static void two_runs_on_a_medium_product_agree_or_say_tied(void **state)
{
    (void)state;
    for (int seed = 0; seed < 2; seed++) {
        char arguments[128];
        snprintf(arguments, sizeof arguments, "--budget 20s --transform gemm=256 --seed %d", seed);
        expect_agreement(arguments);
    }
}

/* In-memory data with tiny samples: the answer of a tuner must be 0 workers. */
static void tiny_samples_need_no_workers(void **state)
{
    (void)state;
    struct answer a;
    tune("--budget 20s --data synthetic:4096:16 --transform copy --batch-size 1 --workers 0,1,2 --threads 1",
         &a);
    assert_int_equal(a.result.arms[a.summary->choice.arm].setting.workers, 0);
    assert_int_not_equal(a.summary->arms[0].standing, ARM_WORSE);
    summary_destroy(a.summary);
    result_fini(&a.result);
}

static void the_comparison_finds_contradictions(void **state)
{
    (void)state;
    int open[] = {1};
    struct choice zero = {.state = CHOICE_DECIDED, .arm = 0}, one = {.state = CHOICE_DECIDED, .arm = 1},
                  tied = {.state = CHOICE_TIED, .arm = 0, .open = open, .nopen = 1};
    assert_true(agree(&zero, &zero));
    assert_false(agree(&zero, &one));
    assert_true(agree(&tied, &one));
    tied.state = CHOICE_DECIDED;
    assert_false(agree(&tied, &one));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_comparison_finds_contradictions),
        cmocka_unit_test(two_runs_on_a_medium_product_agree_or_say_tied),
        cmocka_unit_test(tiny_samples_need_no_workers),
    };
    return CASES(tests);
}
