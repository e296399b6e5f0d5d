/* The pin stage: by mlock for real, by an accelerator's driver with a stand-in for it (fake_cuda.c). */
#include <dlfcn.h>
#include <sys/resource.h>

#include "fixture.h"

static struct fixture numbers = {.n = 50, .in_worker = -1};

static long locked_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "VmLck: %ld kB", &kib) == 1)
            break;
    if (f)
        fclose(f);
    return kib;
}

/* Runs two epochs and checks the order; returns whether the last iterator pinned. *during: what was locked. */
static bool run(struct loader_config *cfg, struct warnings *w, long *during)
{
    bool pinned = false;
    cfg->warn = note;
    cfg->warn_arg = w;
    struct loader *l = must_create(cfg);
    assert_true(loader_pin_memory(l));
    for (int epoch = 0; epoch < 2; epoch++) {
        struct loader_iter *it = must_open(l);
        struct err err = {0};
        int64_t values[50], n = 0;
        assert_int_equal(collect(it, 5, values, &n, &err), 0);
        *during = locked_kib();
        if (collect(it, 100, values, &n, &err) != -ENODATA)
            fail_msg("%s", err.text);
        for (int64_t i = 0; i < n; i++)
            assert_int_equal(values[i], i);
        assert_int_equal(n, 50);
        pinned = loader_iter_pin_memory(it);
        loader_iter_close(it);
    }
    loader_destroy(l);
    return pinned;
}

static void need_mlock(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    print_message("under a sanitizer mlock does nothing\n");
    skip();
#endif
}

static void slots_are_locked_in_memory_while_the_iterator_lives(void **state)
{
    (void)state;
    need_mlock();
    struct dataset ds = fixture_map(&numbers);
    for (int workers = 0; workers < 4; workers++)
        for (int backend = 0; backend < 2; backend++)
            for (int persistent = 0; persistent < (workers ? 2 : 1); persistent++) {
                struct warnings w = {0};
                struct loader_config cfg = {.dataset = &ds,
                                            .num_workers = workers,
                                            .batch_size = 3,
                                            .pin_memory = true,
                                            .pin_how = LOADER_PIN_MLOCK,
                                            .persistent_workers = persistent,
                                            .backend = (enum loader_backend)backend};
                long during;
                assert_true(run(&cfg, &w, &during));
                assert_true(during > 0);
                assert_int_equal(locked_kib(), 0);
                assert_true(w.n == 0 || strstr(w.last, "CPUs"));
            }
}

static void streams_and_errors_pass_through_the_stage_untouched(void **state)
{
    (void)state;
    struct fixture f = {.n = 10, .deed = DEED_ERROR, .at = 4, .in_worker = 1};
    struct dataset ds = fixture_stream(&f);
    struct loader *l = must_create(&(struct loader_config){
        .dataset = &ds, .num_workers = 2, .batch_size = 3, .pin_memory = true, .pin_how = LOADER_PIN_MLOCK});
    struct loader_iter *it = must_open(l);
    struct err err = {0};
    int64_t values[30], n = 0;
    assert_int_equal(collect(it, 100, values, &n, &err), -EILSEQ);
    assert_non_null(strstr(err.text, "worker 1"));
    assert_int_equal(n, 9); /* 0-2 of both, 3-5 of worker 0 */
    assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
    loader_iter_close(it);
    loader_destroy(l);
}

static void a_worker_killed_behind_the_stage_is_named(void **state)
{
    (void)state;
    struct fixture f = {.n = 40, .deed = DEED_KILL, .at = 13, .in_worker = -1, .signal = SIGKILL};
    struct dataset ds = fixture_map(&f);
    struct loader *l = must_create(&(struct loader_config){
        .dataset = &ds, .num_workers = 2, .batch_size = 4, .pin_memory = true, .pin_how = LOADER_PIN_MLOCK});
    struct loader_iter *it = must_open(l);
    struct err err = {0};
    int64_t values[40], n = 0;
    assert_int_equal(collect(it, 100, values, &n, &err), -EPIPE);
    assert_non_null(strstr(err.text, "worker 1"));
    loader_iter_close(it);
    loader_destroy(l);
    assert_false(has_children());
}

static void pages_that_cannot_be_locked_are_an_error_of_each_batch(void **state)
{
    (void)state;
    need_mlock();
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        struct dataset ds = fixture_map(&numbers);
        struct loader *l;
        struct loader_iter *it;
        struct err err = {0};
        const struct batch *b;
        setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){4096, 4096});
        if (setgid(65534) || setuid(65534)) /* root may lock what it likes */
            _exit(0);
        ds.sample_bytes_max = 1 << 16;
        if (loader_create(
                &(struct loader_config){
                    .dataset = &ds, .num_workers = 1, .pin_memory = true, .pin_how = LOADER_PIN_MLOCK},
                &l, &err) ||
            loader_iter_open(l, &it, &err))
            _exit(1);
        if (loader_next(it, &b, &err) != -ENOMEM || !strstr(err.text, "in the pin stage: cannot lock") ||
            !strstr(err.text, "the limit is 4096"))
            _exit(2);
        loader_iter_close(it);
        loader_destroy(l);
        _exit(0);
    }
    int status;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static bool has_driver(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver != NULL;
}

static void without_an_accelerator_the_request_is_dropped_with_one_warning(void **state)
{
    (void)state;
    if (has_driver())
        print_message("there is a libcuda.so.1 here: its absence cannot be tried\n"), skip();
    struct dataset ds = fixture_map(&numbers);
    for (int workers = 0; workers < 2; workers++) {
        struct warnings w = {0};
        struct loader_config cfg = {.dataset = &ds, .num_workers = workers, .pin_memory = true};
        long during;
        assert_false(run(&cfg, &w, &during));
        assert_int_equal(w.n, 1);
        assert_non_null(strstr(w.last, "will not be page-locked: no accelerator"));
    }
}

/* The rest wants the stand-in: ctest runs this program a second time with it in its library path. */
static long *counter(const char *name)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    return driver ? dlsym(driver, name) : NULL;
}

static void need_stand_in(void)
{
    if (!counter("fake_cuda_contexts"))
        print_message("runs with the stand-in of the driver only (ctest -R pin_with_driver)\n"), skip();
}

static void with_an_accelerator_its_driver_registers_the_slots_and_lets_them_go(void **state)
{
    (void)state;
    need_stand_in();
    struct dataset ds = fixture_map(&numbers);
    for (int workers = 0; workers < 3; workers++) {
        struct warnings w = {0};
        struct loader_config cfg = {
            .dataset = &ds, .num_workers = workers, .pin_memory = true, .warn = note, .warn_arg = &w};
        struct loader *l = must_create(&cfg);
        struct loader_iter *it = must_open(l);
        int64_t values[50], n = 0;
        assert_int_equal(collect(it, 1, values, &n, NULL), 0);
        assert_true(loader_iter_pin_memory(it));
        assert_true(*counter("fake_cuda_registered_bytes") > 0);
        assert_int_equal(*counter("fake_cuda_contexts"), 1);
        loader_iter_close(it);
        loader_destroy(l);
        assert_int_equal(*counter("fake_cuda_registered_bytes"), 0);
        assert_int_equal(*counter("fake_cuda_contexts"), 0);
        assert_true(w.n == 0 || strstr(w.last, "CPUs"));
    }
}

static void a_driver_that_fails_is_told_and_nothing_stays_held(void **state)
{
    (void)state;
    need_stand_in();
    struct dataset ds = fixture_map(&numbers);
    struct loader_config cfg = {.dataset = &ds, .num_workers = 1, .pin_memory = true};
    const char *const dropped[] = {"init", "no device"};
    for (int i = 0; i < 2; i++) {
        struct warnings w = {0};
        long during;
        setenv("FAKE_CUDA_FAILS", dropped[i], 1);
        assert_false(run(&cfg, &w, &during));
        assert_int_equal(w.n, 1);
    }
    setenv("FAKE_CUDA_FAILS", "register", 1);
    struct loader *l = must_create(&cfg);
    struct loader_iter *it = must_open(l);
    struct err err = {0};
    const struct batch *b;
    assert_int_equal(loader_next(it, &b, &err), -EIO);
    assert_non_null(strstr(err.text, "in the pin stage: device 0 cannot register"));
    loader_iter_close(it);
    loader_destroy(l);
    unsetenv("FAKE_CUDA_FAILS");
    assert_int_equal(*counter("fake_cuda_contexts"), 0);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(slots_are_locked_in_memory_while_the_iterator_lives),
        cmocka_unit_test(streams_and_errors_pass_through_the_stage_untouched),
        cmocka_unit_test(a_worker_killed_behind_the_stage_is_named),
        cmocka_unit_test(pages_that_cannot_be_locked_are_an_error_of_each_batch),
        cmocka_unit_test(without_an_accelerator_the_request_is_dropped_with_one_warning),
        cmocka_unit_test(with_an_accelerator_its_driver_registers_the_slots_and_lets_them_go),
        cmocka_unit_test(a_driver_that_fails_is_told_and_nothing_stays_held),
    };
    return CASES(cases);
}
