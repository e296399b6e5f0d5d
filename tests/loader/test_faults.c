/* Workers that die, hang or fail, and consumers that do: an error that names worker, batch and cause, and
 * nothing left behind. */
#include "fixture.h"

#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>

static int descriptors_before;

static int note_before(void **state)
{
    (void)state;
    descriptors_before = open_descriptors();
    return 0;
}

static int nothing_is_left(void **state)
{
    (void)state;
    assert_false(has_children());
    assert_int_equal(open_descriptors(), descriptors_before);
    return 0;
}

/* Closes, and sees that it waited for nobody: a worker that hangs does so for a minute. (How long it takes is
 * in loader_speed's table: a test on a busy machine cannot say.) */
static void close_all(struct loader_iter *it, struct loader *l)
{
    uint64_t start_ns = clock_now_ns();
    loader_iter_close(it);
    loader_destroy(l);
    assert_true(clock_now_ns() - start_ns < 20000 * MS);
}

static void run_until_error(const struct loader_config *cfg, int expected, const char *const *words)
{
    struct loader *l = must_create(cfg);
    struct loader_iter *it = must_open(l);
    struct err err = {0};
    int64_t values[1000], n = 0;
    int rc = collect(it, 1000, values, &n, &err);
    if (rc != expected)
        fail_msg("code %d, not %d: %s", rc, expected, err.text);
    for (; *words; words++)
        if (!strstr(err.text, *words))
            fail_msg("'%s' is not in: %s", *words, err.text);
    close_all(it, l);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_killed_worker_is_named_with_its_signal_and_batch(void **state)
{
    (void)state;
    const int signals[] = {SIGKILL, SIGTERM, SIGSEGV, SIGABRT, SIGBUS};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct fixture f = {.n = 40, .deed = DEED_KILL, .at = 13, .in_worker = -1, .signal = signals[i]};
        struct dataset ds = fixture_map(&f);
        run_until_error(&(struct loader_config){.dataset = &ds, .num_workers = 2, .batch_size = 4}, -EPIPE,
                        WORDS("worker 1 (pid ", "is killed by signal", strsignal(signals[i]), "batch 3"));
    }
}

static void an_exiting_worker_is_named_with_its_exit_code(void **state)
{
    (void)state;
    struct fixture f = {.n = 40, .deed = DEED_EXIT, .at = 5, .in_worker = -1, .error = 7};
    struct dataset ds = fixture_map(&f);
    run_until_error(&(struct loader_config){.dataset = &ds, .num_workers = 3}, -EPIPE,
                    WORDS("worker 2 (pid ", "exited unexpectedly with exit code 7", "batch 5"));
    struct fixture g = {.n = 40, .deed = DEED_EXIT, .in_worker = 1, .in_open = true, .error = 3};
    struct dataset stream = fixture_stream(&g);
    run_until_error(&(struct loader_config){.dataset = &stream, .num_workers = 2}, -EPIPE,
                    WORDS("worker 1 (pid ", "exit code 3", "before it was up"));
}

static void a_worker_killed_while_idle_is_noticed(void **state)
{
    (void)state;
    struct fixture f = {.n = 1000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    for (int out_of_order = 0; out_of_order < 2; out_of_order++) {
        struct loader_config cfg = {.dataset = &ds, .num_workers = 2, .out_of_order = out_of_order};
        struct loader *l = must_create(&cfg);
        struct loader_iter *it = must_open(l);
        struct err err = {0};
        pid_t pids[2];
        int64_t values[1000], n = 0;
        assert_int_equal(collect(it, 3, values, &n, &err), 0);
        clock_sleep_ns(5 * MS); /* both have filled their slots */
        assert_int_equal(loader_iter_pids(it, pids, 2), 2);
        kill(pids[1], SIGKILL);
        assert_int_equal(collect(it, 1000, values, &n, &err), -EPIPE);
        assert_non_null(strstr(err.text, "worker 1"));
        err = (struct err){0};
        assert_int_equal(collect(it, 1, values, &n, &err), -EPIPE); /* and it stays that way */
        close_all(it, l);
    }
}

static void errors_of_a_hook_are_told_and_iteration_goes_on(void **state)
{
    (void)state;
    for (int workers = 0; workers < 3; workers++) {
        struct fixture f = {.n = 12, .deed = DEED_ERROR, .at = 5, .in_worker = -1};
        struct dataset ds = fixture_map(&f);
        struct loader *l =
            must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers, .batch_size = 2});
        struct loader_iter *it = must_open(l);
        struct err err = {0};
        int64_t values[12], n = 0;
        assert_int_equal(collect(it, 9, values, &n, &err), -EILSEQ);
        assert_non_null(strstr(err.text, "batch 2 of 'numbers': sample 5: this one is rotten"));
        assert_int_equal(n, 4);
        err = (struct err){0};
        assert_int_equal(collect(it, 9, values, &n, &err), -ENODATA);
        assert_int_equal(n, 10);
        assert_int_equal(values[4], 6);
        close_all(it, l);
    }
}

static void there_are_as_many_errors_as_batches(void **state)
{
    (void)state;
    for (int workers = 0; workers < 5; workers++) {
        struct fixture f = {.n = 20, .deed = DEED_ERROR, .at = -1, .in_worker = -1};
        struct dataset ds = fixture_map(&f);
        struct loader *l =
            must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers, .batch_size = 2});
        struct loader_iter *it = must_open(l);
        const struct batch *b;
        int errors = 0;
        for (int rc; (rc = loader_next(it, &b, NULL)) != -ENODATA; errors++)
            assert_int_equal(rc, -EILSEQ);
        assert_int_equal(errors, 10);
        close_all(it, l);
    }
}

static void a_hooks_code_cannot_be_mistaken_for_the_loaders_own(void **state)
{
    (void)state;
    const int codes[] = {-ENODATA, -EPIPE, -ETIMEDOUT, -ENOBUFS};
    for (size_t i = 0; i < 4; i++) {
        struct fixture f = {.n = 4, .deed = DEED_ERROR, .at = 1, .in_worker = -1, .error = codes[i]};
        struct dataset ds = fixture_map(&f);
        run_until_error(&(struct loader_config){.dataset = &ds, .num_workers = 1}, -EIO, WORDS("rotten"));
    }
}

static void an_error_in_init_or_open_comes_with_the_workers_first_batch(void **state)
{
    (void)state;
    struct fixture f = {.n = 8, .deed = DEED_ERROR, .in_worker = 1, .in_init = true};
    struct dataset ds = fixture_map(&f);
    for (int backend = 0; backend < 2; backend++) {
        struct loader_config cfg = {.dataset = &ds,
                                    .num_workers = 2,
                                    .backend = (enum loader_backend)backend,
                                    .worker_init = fixture_init,
                                    .worker_init_arg = &f};
        run_until_error(&cfg, -EILSEQ, WORDS("worker 1", "batch 1", "worker_init", "rotten"));
    }
    struct fixture g = {.n = 8, .deed = DEED_ERROR, .in_worker = 1, .in_open = true};
    struct dataset stream = fixture_stream(&g);
    run_until_error(&(struct loader_config){.dataset = &stream, .num_workers = 2}, -EILSEQ,
                    WORDS("worker 1", "batch 1", "opening the replica of 'stream'", "rotten"));
}

static void a_sample_longer_than_its_room_is_an_error(void **state)
{
    (void)state;
    struct fixture f = {.n = 8, .deed = DEED_TOO_LONG, .at = 2, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    run_until_error(&(struct loader_config){.dataset = &ds, .num_workers = 1}, -EOVERFLOW,
                    WORDS("65 bytes", "64"));
}

static void next_times_out_when_a_worker_sleeps_and_can_go_on(void **state)
{
    (void)state;
    static struct fixture f = {.n = 4, .deed = DEED_SLEEP, .at = 2, .in_worker = -1, .sleep_ns = 300 * MS};
    struct dataset ds = fixture_map(&f);
    for (int backend = 0; backend < 2; backend++) {
        struct loader_config cfg = {
            .dataset = &ds, .num_workers = 1, .timeout_ns = 20 * MS, .backend = (enum loader_backend)backend};
        struct loader *l = must_create(&cfg);
        struct loader_iter *it = must_open(l);
        struct err err = {0};
        int64_t values[4], n = 0;
        int rc, timeouts = 0;
        while ((rc = collect(it, 9, values, &n, timeouts ? NULL : &err)) == -ETIMEDOUT)
            timeouts++;
        struct loader_stats stats;
        loader_iter_stats(it, &stats);
        loader_iter_close(it);
        loader_destroy(l);
        assert_int_equal(rc, -ENODATA);
        assert_true(timeouts > 1);
        assert_non_null(strstr(err.text, "0.020 seconds"));
        assert_int_equal(n, 4);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(values[i], i);
    }
}

static void a_tree_that_was_stopped_has_not_timed_out(void **state)
{
    (void)state;
    fflush(NULL);
    pid_t consumer = fork();
    if (consumer == 0) {
        static struct fixture f = {
            .n = 2, .deed = DEED_SLEEP, .at = 1, .in_worker = -1, .sleep_ns = 200 * MS};
        struct dataset ds = fixture_map(&f);
        int64_t values[2], n = 0;
        setpgid(0, 0);
        struct loader *l;
        struct loader_iter *it;
        if (loader_create(&(struct loader_config){.dataset = &ds, .num_workers = 1, .timeout_ns = 1000 * MS},
                          &l, NULL) ||
            loader_iter_open(l, &it, NULL) || collect(it, 1, values, &n, NULL))
            _exit(1);
        _exit(collect(it, 1, values, &n, NULL) ? 2 : 0);
    }
    setpgid(consumer, consumer);
    clock_sleep_ns(100 * MS);
    kill(-consumer, SIGSTOP); /* twice as long as the time-out */
    clock_sleep_ns(2000 * MS);
    kill(-consumer, SIGCONT);
    int status;
    waitpid(consumer, &status, 0);
    assert_int_equal(status, 0);
}

static void closing_does_not_wait_for_a_hanging_or_stopped_worker(void **state)
{
    (void)state;
    struct fixture f = {.n = 40, .deed = DEED_SLEEP, .at = -1, .in_worker = -1, .sleep_ns = 60000 * MS};
    struct dataset ds = fixture_map(&f);
    for (int stopped = 0; stopped < 2; stopped++) {
        struct loader *l = must_create(
            &(struct loader_config){.dataset = &ds, .num_workers = 4, .persistent_workers = stopped});
        struct loader_iter *it = must_open(l);
        pid_t pids[4];
        loader_iter_pids(it, pids, 4);
        for (int w = 0; stopped && w < 4; w++)
            kill(pids[w], SIGSTOP);
        close_all(it, l);
    }
}

static void a_stopped_tree_goes_on_and_no_stop_is_taken_for_a_death(void **state)
{
    (void)state;
    struct fixture f = {.n = 300, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = 2});
    struct loader_iter *it = must_open(l);
    int64_t values[300], n = 0;
    pid_t pids[2];
    loader_iter_pids(it, pids, 2);
    for (int round = 0; round < 3; round++) {
        for (int w = 0; w < 2; w++)
            kill(pids[w], SIGSTOP);
        if (fork() == 0) { /* goes on after the consumer has begun to wait */
            clock_sleep_ns(40 * MS);
            for (int w = 0; w < 2; w++)
                kill(pids[w], SIGCONT);
            _exit(0);
        }
        assert_int_equal(collect(it, 90, values, &n, NULL), 0);
        while (waitpid(-1, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    assert_int_equal(collect(it, 90, values, &n, NULL), -ENODATA);
    assert_int_equal(n, 300);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(values[i], i);
    close_all(it, l);
}

static void workers_die_with_a_consumer_killed_by_signal_9(void **state)
{
    (void)state;
    int ends[2];
    pid_t pids[2] = {0};
    assert_int_equal(pipe(ends), 0);
    pid_t consumer = fork();
    if (consumer == 0) {
        struct fixture f = {.n = 1000, .in_worker = -1};
        struct dataset ds = fixture_map(&f);
        struct loader *l;
        struct loader_iter *it;
        if (loader_create(&(struct loader_config){.dataset = &ds, .num_workers = 2}, &l, NULL) ||
            loader_iter_open(l, &it, NULL))
            _exit(1);
        int64_t values[4], n = 0;
        if (collect(it, 4, values, &n, NULL)) /* both are up */
            _exit(1);
        loader_iter_pids(it, pids, 2);
        kill(pids[1], SIGSTOP); /* a stopped one must go too */
        if (write(ends[1], pids, sizeof pids) != sizeof pids)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], pids, sizeof pids), sizeof pids);
    kill(consumer, SIGKILL);
    waitpid(consumer, NULL, 0);
    /* Each worker holds the pipe's other end: it is at its end when all are gone. */
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    assert_int_equal(poll(&end, 1, 5000), 1);
    assert_true(end.revents & POLLHUP);
    close(ends[0]);
}

/* Runs `body` in a child under a limit, so that the limit ends with it. */
static void in_child(void (*body)(void))
{
    fflush(NULL);
    pid_t pid = fork();
    int status;
    if (pid == 0) {
        body();
        _exit(0);
    }
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void expect_open_error(int workers, int code, const char *word)
{
    struct fixture f = {.n = 1000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l;
    struct loader_iter *it;
    struct err err = {0};
    int before = open_descriptors();
    int rc = loader_create(&(struct loader_config){.dataset = &ds, .num_workers = workers}, &l, &err);
    if (!rc) {
        rc = loader_iter_open(l, &it, &err);
        loader_destroy(l);
    }
    if (rc != code || !strstr(err.text, word) || open_descriptors() != before || has_children()) {
        fprintf(stderr, "code %d: %s (%d descriptors, before %d)\n", rc, err.text, open_descriptors(),
                before);
        _exit(1);
    }
}

static void with_few_descriptors(void)
{
    setrlimit(RLIMIT_NOFILE, &(struct rlimit){20, 20});
    expect_open_error(64, -EMFILE, "the limit of open files is 20");
}

static void with_few_processes(void)
{
    if (setgid(65534) || setuid(65534)) { /* the limit does not bind root */
        fprintf(stderr, "not root: the limit of processes is tried with what is there\n");
    }
    setrlimit(RLIMIT_NPROC, &(struct rlimit){3, 3});
    expect_open_error(64, -EAGAIN, "of 64: the limit of processes is 3");
}

static void with_little_address_space(void)
{
#ifdef __SANITIZE_ADDRESS__
    fprintf(stderr, "skipped: the address sanitizer needs terabytes of address space\n");
    return;
#endif
    setrlimit(RLIMIT_AS, &(struct rlimit){100 << 20, 100 << 20});
    struct fixture f = {.n = 1000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader *l;
    struct err err = {0};
    ds.sample_bytes_max = 1 << 20;
    int rc =
        loader_create(&(struct loader_config){.dataset = &ds, .num_workers = 4, .batch_size = 64}, &l, &err);
    if (rc != -ENOMEM || !strstr(err.text, "need 768 MiB") ||
        !strstr(err.text, "limit of the address space")) {
        fprintf(stderr, "code %d: %s\n", rc, err.text);
        _exit(1);
    }
}

static void a_low_limit_of_descriptors_is_named(void **state)
{
    (void)state;
    in_child(with_few_descriptors);
}

static void a_low_limit_of_processes_is_named(void **state)
{
    (void)state;
    in_child(with_few_processes);
}

static void too_little_address_space_is_refused_with_both_numbers(void **state)
{
    (void)state;
    in_child(with_little_address_space);
}

static void more_memory_than_the_machine_has_is_refused_with_both_numbers(void **state)
{
    (void)state;
    struct fixture f = {.n = 1000, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    ds.sample_bytes_max = (size_t)1 << 40;
    struct loader *l;
    struct err err = {0};
    assert_int_equal(
        loader_create(&(struct loader_config){.dataset = &ds, .num_workers = 64, .prefetch_factor = 16}, &l,
                      &err),
        -ENOMEM);
    assert_non_null(strstr(err.text, "need 1.06 PiB"));
    assert_non_null(strstr(err.text, "leaves"));
    assert_null(l);
}

static void a_replica_is_closed_as_often_as_it_was_opened(void **state)
{
    (void)state;
    _Atomic int *count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct fixture f = {.n = 10, .in_worker = -1, .opened = &count[0], .closed = &count[1]};
    struct dataset ds = fixture_stream(&f);
    for (int workers = 0; workers < 4; workers++)
        for (int early = 0; early < 2; early++) {
            struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers});
            struct loader_iter *it = must_open(l);
            int64_t values[40], n = 0;
            collect(it, early ? 3 : 100, values, &n, NULL);
            close_all(it, l);
        }
    assert_int_equal(count[0], 2 * (1 + 1 + 2 + 3));
    assert_int_equal(count[1], count[0]);
    munmap((void *)count, 4096);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, note_before, nothing_is_left)
    const struct CMUnitTest cases[] = {
        CASE(a_killed_worker_is_named_with_its_signal_and_batch),
        CASE(an_exiting_worker_is_named_with_its_exit_code),
        CASE(a_worker_killed_while_idle_is_noticed),
        CASE(errors_of_a_hook_are_told_and_iteration_goes_on),
        CASE(there_are_as_many_errors_as_batches),
        CASE(a_hooks_code_cannot_be_mistaken_for_the_loaders_own),
        CASE(an_error_in_init_or_open_comes_with_the_workers_first_batch),
        CASE(a_sample_longer_than_its_room_is_an_error),
        CASE(next_times_out_when_a_worker_sleeps_and_can_go_on),
        CASE(a_tree_that_was_stopped_has_not_timed_out),
        CASE(closing_does_not_wait_for_a_hanging_or_stopped_worker),
        CASE(a_stopped_tree_goes_on_and_no_stop_is_taken_for_a_death),
        CASE(workers_die_with_a_consumer_killed_by_signal_9),
        CASE(a_low_limit_of_descriptors_is_named),
        CASE(a_low_limit_of_processes_is_named),
        CASE(too_little_address_space_is_refused_with_both_numbers),
        CASE(more_memory_than_the_machine_has_is_refused_with_both_numbers),
        CASE(a_replica_is_closed_as_often_as_it_was_opened),
    };
    return CASES(cases);
}
