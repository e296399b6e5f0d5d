/* Counters: what is counted has a value, what is not has a reason, and nothing is silently 0. */
#include "harness/counters.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "forked.h"
#include "testing/cmocka.h"

static const struct harness_counters_ask all = {0};

static struct harness_count find(const struct harness_counters *c, const char *name)
{
    for (size_t i = 0; i < harness_counters_n(c); i++)
        if (!strcmp(harness_counters_get(c, i).name, name))
            return harness_counters_get(c, i);
    return (struct harness_count){.name = NULL};
}

enum { PAGES = 500 };

/* Touches new pages, computes for some milliseconds, and sleeps thrice. */
static void work(void)
{
    size_t bytes = PAGES * (size_t)sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        _exit(99);
    madvise(p, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += (size_t)sysconf(_SC_PAGESIZE))
        p[i] = 1;
    munmap(p, bytes);
    uint64_t cpu, until;
    clock_cpu_ns(0, &until);
    until += 5000000;
    do
        clock_cpu_ns(0, &cpu);
    while (cpu < until);
    for (int i = 0; i < 3; i++)
        clock_sleep_ns(1000000);
}

static int software_events_work(void)
{
    struct harness_counters *c;
    if (harness_counters_open(&all, &c, NULL))
        return 0;
    harness_counters_begin(c);
    harness_counters_end(c); /* before a window nothing has a value */
    int work = !find(c, "perf::task-clock").reason;
    harness_counters_close(c);
    return work;
}

static void need_software_events(void)
{
    if (software_events_work())
        return;
    print_message("skipped: the kernel lets nobody count its software events here\n");
    skip();
}

static void software_events_count_what_happens_in_a_window(void **state)
{
    (void)state;
    need_software_events();
    struct harness_counters *c;
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    harness_counters_begin(c);
    work();
    harness_counters_end(c);
    struct harness_count faults = find(c, "perf::page-faults"), clock = find(c, "perf::task-clock"),
                         switches = find(c, "perf::context-switches");
    assert_true(faults.value >= PAGES && faults.value < 100 * PAGES);
    assert_true(clock.value >= 4e6);
    assert_true(switches.value >= 3);
    assert_true(faults.share > 0 && faults.share <= 1);
    harness_counters_close(c);
}

static void what_happens_outside_a_window_does_not_count(void **state)
{
    (void)state;
    need_software_events();
    struct harness_counters *c;
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    work();
    harness_counters_begin(c);
    harness_counters_end(c);
    work();
    assert_true(find(c, "perf::page-faults").value < PAGES / 2);
    harness_counters_begin(c);
    work();
    harness_counters_end(c);
    assert_true(find(c, "perf::page-faults").value >= PAGES); /* windows add up */
    harness_counters_close(c);
}

static void children_that_start_later_are_counted(void **state)
{
    (void)state;
    need_software_events();
    struct harness_counters *c;
    int status;
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    harness_counters_begin(c);
    pid_t pid = fork();
    if (!pid) {
        work();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    harness_counters_end(c);
    assert_true(find(c, "perf::page-faults").value >= PAGES);
    harness_counters_close(c);
}

/* ---- apart ---- */

static void in_child(int (*check)(void))
{
    int status = forked(check);
    if (status == FORKED_SKIP) {
        print_message("skipped: seccomp filters cannot be set here\n");
        skip();
    }
    assert_int_equal(status, 0);
}

/* A child that works, or only waits, when its pipe tells it to. */
static pid_t start_child(int go[2], int done[2], int works)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    char byte;
    if (read(go[0], &byte, 1) == 1 && works)
        work();
    if (write(done[1], &byte, 1) != 1 || read(go[0], &byte, 1) < 0)
        _exit(1);
    _exit(0);
}

static void processes_that_run_already_are_counted_apart(void **state)
{
    (void)state;
    need_software_events();
    int go[2][2], done[2];
    char byte = 0;
    struct harness_counters *c;
    struct harness_counted who[3] = {{0}};
    assert_int_equal(pipe(go[0]) | pipe(go[1]) | pipe(done), 0);
    for (int k = 0; k < 2; k++)
        who[k + 1].pid = start_child(go[k], done, k == 1);
    const struct harness_counters_ask ask = {.who = who, .n = 3};
    assert_int_equal(harness_counters_open(&ask, &c, NULL), 0);
    harness_counters_begin(c);
    for (int k = 0; k < 2; k++)
        assert_int_equal(write(go[k][1], &byte, 1) + read(done[0], &byte, 1), 2);
    harness_counters_end(c);
    size_t i = 0;
    while (strcmp(harness_counters_get(c, i).name, "perf::page-faults") != 0)
        i++;
    assert_true(harness_counters_is_told_apart(c, i));
    assert_true(harness_counters_get_of(c, i, 1).value < PAGES / 2);
    assert_true(harness_counters_get_of(c, i, 2).value >= PAGES);
    double sum = 0;
    for (size_t k = 0; k < 3; k++)
        sum += harness_counters_get_of(c, i, k).value;
    assert_true(sum == harness_counters_get(c, i).value);
    assert_true(harness_counters_last(c, "perf::page-faults").value == sum);
    harness_counters_close(c);
    for (int k = 0; k < 2; k++) {
        assert_int_equal(write(go[k][1], &byte, 1), 1);
        assert_int_equal(waitpid(who[k + 1].pid, NULL, 0), who[k + 1].pid);
    }
}

enum { MANY = 150 };

struct crowd {
    pthread_t thread[MANY];
    pthread_barrier_t start, end;
};

static void *wait_and_touch(void *arg)
{
    struct crowd *crowd = arg;
    pthread_barrier_wait(&crowd->start); /* it is there */
    pthread_barrier_wait(&crowd->start); /* the window has begun */
    long page = sysconf(_SC_PAGESIZE);
    char *p = mmap(NULL, 10 * (size_t)page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; p != MAP_FAILED && i < 10; i++)
        p[i * page] = 1;
    pthread_barrier_wait(&crowd->end);
    return NULL;
}

static int start_crowd(struct crowd *crowd)
{
    pthread_barrier_init(&crowd->start, NULL, MANY + 1);
    pthread_barrier_init(&crowd->end, NULL, MANY + 1);
    for (int i = 0; i < MANY; i++)
        if (pthread_create(&crowd->thread[i], NULL, wait_and_touch, crowd))
            return -1;
    pthread_barrier_wait(&crowd->start);
    return 0;
}

static void end_crowd(struct crowd *crowd)
{
    pthread_barrier_wait(&crowd->start);
    pthread_barrier_wait(&crowd->end);
    for (int i = 0; i < MANY; i++)
        pthread_join(crowd->thread[i], NULL);
}

static void each_of_many_threads_is_counted(void **state)
{
    (void)state;
    need_software_events();
    static struct crowd crowd;
    struct harness_counters *c;
    assert_int_equal(start_crowd(&crowd), 0);
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    harness_counters_begin(c);
    end_crowd(&crowd);
    harness_counters_end(c);
    struct harness_count faults = find(c, "perf::page-faults");
    if (faults.reason)
        fail_msg("%s", faults.reason);
    assert_true(faults.value >= MANY); /* a huge page may serve ten */
    assert_true(find(c, "perf::context-switches").value >= MANY);
    harness_counters_close(c);
}

/* Fewer descriptors than threads, and no leave to have more. */
static int a_part_is_not_the_whole(void)
{
    static struct crowd crowd;
    struct harness_counters *c;
    if (start_crowd(&crowd) || setrlimit(RLIMIT_NOFILE, &(struct rlimit){100, 100}) ||
        harness_counters_open(&all, &c, NULL))
        return 1;
    harness_counters_begin(c);
    end_crowd(&crowd);
    harness_counters_end(c);
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count got = harness_counters_get(c, i);
        if (!got.reason || !isnan(got.value))
            return 2;
        if (!strncmp(got.name, "perf::", 6) && !strstr(got.reason, "Too many open files"))
            return 3;
    }
    harness_counters_close(c);
    return 0;
}

static void too_many_threads_for_the_descriptors_are_told(void **state)
{
    (void)state;
    need_software_events();
    in_child(a_part_is_not_the_whole);
}

static void too_many_names_are_told(void **state)
{
    (void)state;
    char names[512] = "a";
    struct err err = {0};
    struct harness_counters *c;
    for (int i = 0; i < 40; i++)
        strcat(names, ",a");
    assert_int_equal(harness_counters_open(&(struct harness_counters_ask){.names = names}, &c, &err), -E2BIG);
    assert_null(c);
    assert_non_null(strstr(err.text, "41 events by name, at most 40"));
}

/* Each has a value, or no value and a reason: 0 is a bug here, where it stands for something that did happen. */
static int is_honest(struct harness_count c)
{
    return c.reason ? isnan(c.value) && c.reason[0] : isfinite(c.value) && c.share > 0 && c.share <= 1;
}

static void each_counter_has_a_value_or_a_reason(void **state)
{
    (void)state;
    struct harness_counters *c;
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    harness_counters_begin(c);
    work();
    harness_counters_end(c);
    assert_true(harness_counters_n(c) >= 9);
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count got = harness_counters_get(c, i);
        if (!is_honest(got))
            fail_msg("%s: %g, %s", got.name, got.value, got.reason ? got.reason : "no reason");
        if (!strncmp(got.name, "PAPI_TOT", 8) && !got.reason)
            assert_true(got.value > 1000); /* a machine that counts 0 cycles counts nothing */
    }
    harness_counters_close(c);
}

static void a_zero_with_a_reason_or_without_one_is_not_honest(void **state)
{
    (void)state;
    assert_false(is_honest((struct harness_count){.value = 0, .share = NAN, .reason = "no PMU"}));
    assert_false(is_honest((struct harness_count){.value = NAN, .share = 1}));
    assert_false(is_honest((struct harness_count){.value = 0, .share = 0}));
}

static void before_any_window_there_is_no_value(void **state)
{
    (void)state;
    struct harness_counters *c;
    assert_int_equal(harness_counters_open(&all, &c, NULL), 0);
    for (size_t i = 0; i < harness_counters_n(c); i++)
        assert_true(isnan(harness_counters_get(c, i).value) && harness_counters_get(c, i).reason);
    harness_counters_close(c);
}

static int refuse_perf_events(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EACCES),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* What perf_event_paranoid = 4 (or a container's filter) does: perf_event_open says EACCES. */
static int all_unavailable_with_the_cause(void)
{
    struct harness_counters *c;
    if (refuse_perf_events())
        return FORKED_SKIP;
    if (harness_counters_open(&all, &c, NULL))
        return 1;
    harness_counters_begin(c);
    harness_counters_end(c);
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count got = harness_counters_get(c, i);
        if (!is_honest(got) || !got.reason)
            return 2;
        if (!strncmp(got.name, "perf::", 6) &&
            (!strstr(got.reason, "Permission denied") || !strstr(got.reason, "perf_event_paranoid is ")))
            return 3;
    }
    harness_counters_close(c);
    return 0;
}

static void forbidden_counters_say_so(void **state)
{
    (void)state;
    in_child(all_unavailable_with_the_cause);
}

/* Something closed the descriptors under it: what cannot be read is not 0. */
static int unreadable_is_no_zero(void)
{
    struct harness_counters *c;
    if (harness_counters_open(&all, &c, NULL))
        return 1;
    close_range(3, ~0U, 0);
    harness_counters_begin(c);
    work();
    harness_counters_end(c);
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count got = harness_counters_get(c, i);
        if (!got.reason || !isnan(got.value))
            return 2;
    }
    return 0;
}

static void a_counter_that_cannot_be_read_is_not_zero(void **state)
{
    (void)state;
    in_child(unreadable_is_no_zero);
}

static void an_event_asked_for_twice_is_listed_once(void **state)
{
    (void)state;
    const struct harness_counters_ask ask = {.names = "perf::page-faults,PAPI_TOT_INS,PAPI_TOT_INS"};
    struct harness_counters *c;
    assert_int_equal(harness_counters_open(&ask, &c, NULL), 0);
    for (size_t i = 0; i < harness_counters_n(c); i++)
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(harness_counters_get(c, i).name, harness_counters_get(c, k).name);
    assert_non_null(find(c, "PAPI_TOT_INS").name);
    harness_counters_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_asked_for_twice_is_listed_once),
        cmocka_unit_test(software_events_count_what_happens_in_a_window),
        cmocka_unit_test(what_happens_outside_a_window_does_not_count),
        cmocka_unit_test(children_that_start_later_are_counted),
        cmocka_unit_test(processes_that_run_already_are_counted_apart),
        cmocka_unit_test(each_of_many_threads_is_counted),
        cmocka_unit_test(too_many_threads_for_the_descriptors_are_told),
        cmocka_unit_test(too_many_names_are_told),
        cmocka_unit_test(each_counter_has_a_value_or_a_reason),
        cmocka_unit_test(a_zero_with_a_reason_or_without_one_is_not_honest),
        cmocka_unit_test(before_any_window_there_is_no_value),
        cmocka_unit_test(forbidden_counters_say_so),
        cmocka_unit_test(a_counter_that_cannot_be_read_is_not_zero),
    };
    return CASES(tests);
}
