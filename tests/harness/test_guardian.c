/* The guardian: when the process that used it is gone, so are the trees it was told of. */
#include "harness/guardian.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "harness/subject.h"
#include "testing/cmocka.h"
#include "testing/tagged.h"

static const uint64_t MS = 1000000;

enum { TREES = 3 };

static const char groups[] =
    "set -m; sleep 1000 & (trap '' TERM HUP; sleep 1000) & read -r l; echo '{}'; wait";

/* As daemons do it, twice: in sessions of their own, their parents gone. */
static const char daemons[] =
    "(setsid sh -c '(setsid sleep 1000 &) ; exec sleep 1000' </dev/null >/dev/null 2>&1 &); "
    "read -r l; sleep 0.2; echo '{}'; wait";

/* What a harness does, up to the point where it is killed: three trees, each with processes in groups of their own.
 * stop: they are put to sleep. Tells through the pipe when it is so far. */
static _Noreturn void be_a_harness(int ready, const char *script, int stop)
{
    struct harness_guardian *g;
    struct subject s[TREES] = {0};
    const char *argv[] = {"/bin/sh", "-c", script, NULL};
    signal(SIGPIPE, SIG_IGN);
    signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
    int rc = harness_guardian_open(&g, NULL);
    for (int i = 0; !rc && i < TREES; i++) {
        json_t *answer;
        struct harness_tree *tree = &s[i].tree;
        rc = subject_start(&s[i], argv, g, NULL);
        rc = rc ? rc : subject_ask(&s[i], json_object(), 5000 * MS, &answer, NULL);
        rc = rc ? rc : harness_trees_find(&tree, 1, NULL);
        rc = rc || !stop ? rc : subject_sleep(&s[i], NULL);
    }
    char code = (char)(rc ? 'x' : 'k');
    if (write(ready, &code, 1) != 1)
        _exit(2);
    for (;;)
        pause();
}

/* Starts one, kills it, and says how many processes are left of its trees after at most two seconds. */
static int left_after(int signal_number, const char *script, int stop)
{
    char tag[TAG_BYTES], code = 0;
    int ends[2], status;
    tag_processes(tag);
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (!pid) {
        close(ends[0]);
        be_a_harness(ends[1], script, stop);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &code, 1), 1);
    close(ends[0]);
    assert_int_equal(code, 'k');
    assert_true(tagged_count(tag) >= 2 * TREES); /* the twin: they are there before */
    kill(pid, signal_number);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    int left = tagged_left(tag, 2000 * MS);
    tagged_kill(tag);
    return left;
}

static void a_harness_that_is_killed_leaves_nothing(void **state)
{
    (void)state;
    assert_int_equal(left_after(SIGKILL, groups, 0), 0);
}

static void a_harness_that_is_killed_leaves_no_stopped_tree(void **state)
{
    (void)state;
    assert_int_equal(left_after(SIGKILL, groups, 1), 0);
}

static void a_harness_that_crashes_leaves_no_stopped_tree(void **state)
{
    (void)state;
    assert_int_equal(left_after(SIGSEGV, groups, 1), 0);
}

static void a_harness_that_is_killed_leaves_no_daemon_of_a_subject(void **state)
{
    (void)state;
    assert_int_equal(left_after(SIGKILL, daemons, 0), 0);
    assert_int_equal(left_after(SIGKILL, daemons, 1), 0);
}

/* The twin: whoever has another mark, or none, is no business of the guardian. */
static void who_does_not_carry_the_mark_is_spared(void **state)
{
    (void)state;
    char mark[HARNESS_MARK_BYTES], text[128];
    struct harness_guardian *g;
    int status;
    assert_int_equal(harness_guardian_open(&g, NULL), 0);
    snprintf(mark, sizeof mark, "%s", harness_guardian_mark(g));
    snprintf(text, sizeof text, HARNESS_MARK_VARIABLE "=lb-1-0000000000000000:%s", mark);
    pid_t marked = fork();
    if (!marked)
        execle("/bin/sleep", "sleep", "1000", (char *)NULL, (char *[]){text, NULL});
    mark[strlen(mark) - 1] ^= 1; /* one digit of another */
    char other[128];
    snprintf(other, sizeof other, HARNESS_MARK_VARIABLE "=%s", mark);
    pid_t spared = fork();
    if (!spared)
        execle("/bin/sleep", "sleep", "1000", (char *)NULL, (char *[]){other, NULL});
    clock_sleep_ns(100 * MS);
    harness_guardian_close(g);
    assert_int_equal(waitpid(marked, &status, 0), marked);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(waitpid(spared, &status, WNOHANG), 0);
    kill(spared, SIGKILL);
    assert_int_equal(waitpid(spared, &status, 0), spared);
}

/* A session of processes that only sleep, enlisted by its leader. */
static pid_t start_enlisted(const struct harness_guardian *g)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    setsid();
    if (harness_guardian_enlist(g))
        _exit(1);
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(1);
}

static void close_ends_what_is_enlisted_and_spares_what_was_forgotten(void **state)
{
    (void)state;
    char tag[TAG_BYTES];
    struct harness_guardian *g;
    int status;
    tag_processes(tag);
    assert_int_equal(harness_guardian_open(&g, NULL), 0);
    pid_t guarded = start_enlisted(g), forgotten = start_enlisted(g);
    uint64_t until = clock_now_ns() + 2000 * MS;
    while (tagged_count(tag) < 2 && clock_now_ns() < until) /* both are past exec, so both were enlisted */
        clock_sleep_ns(1 * MS);
    harness_guardian_forget(g, forgotten);
    harness_guardian_close(g);
    assert_int_equal(waitpid(guarded, &status, 0), guarded);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    clock_sleep_ns(20 * MS);
    assert_int_equal(waitpid(forgotten, &status, WNOHANG), 0);
    kill(forgotten, SIGKILL);
    assert_int_equal(waitpid(forgotten, &status, 0), forgotten);
}

static void a_terminals_signals_do_not_end_it(void **state)
{
    (void)state;
    struct harness_guardian *g;
    char tag[TAG_BYTES];
    int status;
    tag_processes(tag);
    assert_int_equal(harness_guardian_open(&g, NULL), 0);
    pid_t guarded = start_enlisted(g);
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
    char children[64];
    snprintf(children, sizeof children, "/proc/self/task/%d/children", (int)getpid());
    FILE *f = fopen(children, "r");
    int pid;
    while (f && fscanf(f, "%d", &pid) == 1)
        for (size_t i = 0; pid != guarded && i < sizeof numbers / sizeof *numbers; i++)
            kill(pid, numbers[i]);
    if (f)
        fclose(f);
    clock_sleep_ns(50 * MS);
    harness_guardian_close(g); /* it is still there to do its work */
    assert_int_equal(waitpid(guarded, &status, 0), guarded);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static void it_holds_none_of_our_descriptors(void **state)
{
    (void)state;
    struct harness_guardian *g;
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(harness_guardian_open(&g, NULL), 0);
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1),
                     0); /* end of file: the guardian has no copy of the writing end */
    close(ends[0]);
    harness_guardian_close(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_harness_that_is_killed_leaves_nothing),
        cmocka_unit_test(a_harness_that_is_killed_leaves_no_stopped_tree),
        cmocka_unit_test(a_harness_that_is_killed_leaves_no_daemon_of_a_subject),
        cmocka_unit_test(who_does_not_carry_the_mark_is_spared),
        cmocka_unit_test(a_harness_that_crashes_leaves_no_stopped_tree),
        cmocka_unit_test(close_ends_what_is_enlisted_and_spares_what_was_forgotten),
        cmocka_unit_test(a_terminals_signals_do_not_end_it),
        cmocka_unit_test(it_holds_none_of_our_descriptors),
    };
    return CASES(tests);
}
