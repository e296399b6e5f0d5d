/* Binding and reading back. Each case runs in a process of its own (fork), so that no mask stays. */
#include "harness/affinity.h"

#include <errno.h>
#include <hwloc.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "forked.h"
#include "testing/cmocka.h"

/* The allowed CPUs, ascending. */
static int allowed(int *out, int max)
{
    cpu_set_t set;
    int n = 0;
    if (sched_getaffinity(0, sizeof set, &set))
        return 0;
    for (int i = 0; i < CPU_SETSIZE && n < max; i++)
        if (CPU_ISSET(i, &set))
            out[n++] = i;
    return n;
}

/* A sanitizer may have one of its own. */
static int threads_now(void)
{
    char *list;
    int threads, same;
    if (harness_affinity_read((int)getpid(), &list, &threads, &same, NULL))
        return -1;
    free(list);
    return threads;
}

struct sleeper {
    pthread_t thread;
    sem_t up, end;
    pid_t tid;
};

static void *sleep_on(void *arg)
{
    struct sleeper *s = arg;
    s->tid = gettid();
    sem_post(&s->up);
    sem_wait(&s->end);
    return NULL;
}

static int start_sleeper(struct sleeper *s)
{
    sem_init(&s->up, 0, 0);
    sem_init(&s->end, 0, 0);
    if (pthread_create(&s->thread, NULL, sleep_on, s))
        return -1;
    sem_wait(&s->up);
    return 0;
}

static void end_sleeper(struct sleeper *s)
{
    sem_post(&s->end);
    pthread_join(s->thread, NULL);
}

/* 0, or the number of the check that failed. */
static int a_thread_that_runs_is_bound_too(void)
{
    int cpu[2], threads, same, before = threads_now();
    char one[16], *list, *of_thread;
    struct sleeper s;
    if (allowed(cpu, 2) < 1 || start_sleeper(&s))
        return 1;
    snprintf(one, sizeof one, "%d", cpu[0]);
    if (harness_affinity_bind(one, NULL))
        return 2;
    if (harness_affinity_read((int)getpid(), &list, &threads, &same, NULL) ||
        !harness_affinity_equal(list, one) || threads != before + 1 || !same)
        return 3;
    if (harness_affinity_read_thread(s.tid, &of_thread, NULL) || !harness_affinity_equal(of_thread, one))
        return 4;
    free(list);
    free(of_thread);
    end_sleeper(&s);
    return 0;
}

static void binding_binds_threads_that_run_already(void **state)
{
    (void)state;
    assert_int_equal(forked(a_thread_that_runs_is_bound_too), 0);
}

static int only_this_thread_is_bound(void)
{
    int cpu[2], threads, same, before = threads_now();
    char one[16], *list, *of_thread;
    struct sleeper s;
    if (allowed(cpu, 2) < 2 || start_sleeper(&s))
        return 1;
    snprintf(one, sizeof one, "%d", cpu[1]);
    if (harness_affinity_bind_thread(one, NULL))
        return 2;
    if (harness_affinity_read_thread(gettid(), &of_thread, NULL) || !harness_affinity_equal(of_thread, one))
        return 3;
    if (harness_affinity_read((int)getpid(), &list, &threads, &same, NULL) || threads != before + 1)
        return 4;
    if (same || harness_affinity_equal(list, one)) /* the union of both, and they differ */
        return 5;
    free(list);
    free(of_thread);
    end_sleeper(&s);
    return 0;
}

static void binding_one_thread_leaves_the_others(void **state)
{
    (void)state;
    int cpu[2];
    if (allowed(cpu, 2) < 2) {
        print_message("skipped: needs two CPUs\n");
        skip();
    }
    assert_int_equal(forked(only_this_thread_is_bound), 0);
}

static int children_start_where_they_are_bound(void)
{
    int cpu[1], status, threads, same, before = threads_now();
    char one[16], *list = NULL;
    if (allowed(cpu, 1) < 1)
        return 1;
    snprintf(one, sizeof one, "%d", cpu[0]);
    if (harness_affinity_bind(one, NULL))
        return 2;
    pid_t pid = fork();
    if (!pid) {
        pause();
        _exit(0);
    }
    int rc = harness_affinity_read(pid, &list, &threads, &same, NULL);
    int equal = !rc && harness_affinity_equal(list, one) && threads == before;
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    free(list);
    return equal ? 0 : 3;
}

static void another_process_can_be_read(void **state)
{
    (void)state;
    assert_int_equal(forked(children_start_where_they_are_bound), 0);
}

static void what_is_no_list_of_cpus_is_told(void **state)
{
    (void)state;
    static const char *const bad[] = {"", " ", "x", "-1", "1-", "a-b", "99999", "0x3", "1;2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int one = 0; one < 2; one++) {
            struct err err = {0};
            int rc = one ? harness_affinity_bind_thread(bad[i], &err) : harness_affinity_bind(bad[i], &err);
            if (rc != -EINVAL)
                fail_msg("'%s' gives %d: %s", bad[i], rc, err.text);
            assert_non_null(strstr(err.text, bad[i]));
        }
}

/* "0-" is hwloc's "from 0 on": sched_setaffinity would take a set without an end for that of CPU -1. */
static void a_list_without_an_end_is_refused(void **state)
{
    (void)state;
    struct err err = {0};
    assert_int_equal(harness_affinity_bind("0-", &err), -EINVAL);
}

static void a_process_that_is_gone_cannot_be_read(void **state)
{
    (void)state;
    int threads, same, status;
    char *list;
    pid_t pid = fork();
    if (!pid)
        _exit(0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    struct err err = {0};
    assert_int_equal(harness_affinity_read(pid, &list, &threads, &same, &err), -ESRCH);
    assert_null(list);
    assert_int_equal(harness_affinity_read_thread(pid, &list, NULL), -ESRCH);
    assert_null(list);
}

static void lists_are_equal_when_they_name_the_same_cpus(void **state)
{
    (void)state;
    assert_true(harness_affinity_equal("0,1", "0-1"));
    assert_true(harness_affinity_equal("3,1-2", "1-3"));
    assert_false(harness_affinity_equal("0,1", "0,2"));
    assert_false(harness_affinity_equal("0", "0-1"));
    assert_false(harness_affinity_equal("", ""));
    assert_false(harness_affinity_equal("x", "x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binding_binds_threads_that_run_already),
        cmocka_unit_test(binding_one_thread_leaves_the_others),
        cmocka_unit_test(another_process_can_be_read),
        cmocka_unit_test(what_is_no_list_of_cpus_is_told),
        cmocka_unit_test(a_list_without_an_end_is_refused),
        cmocka_unit_test(a_process_that_is_gone_cannot_be_read),
        cmocka_unit_test(lists_are_equal_when_they_name_the_same_cpus),
    };
    return CASES(tests);
}
