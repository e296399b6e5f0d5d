/* Arguments that make no sense are refused at once, with the reference's words; a crowd is warned of. */
#include "check.h"

#include <sched.h>

#include "fixture.h"

static struct fixture numbers = {.n = 20, .in_worker = -1};

static void refuse(const struct loader_config *cfg, const char *words)
{
    struct loader *l;
    struct err err = {0};
    assert_int_equal(loader_create(cfg, &l, &err), -EINVAL);
    assert_null(l);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
}

static void invalid_combinations_are_refused_with_the_references_words(void **state)
{
    (void)state;
    struct dataset map = fixture_map(&numbers), stream = fixture_stream(&numbers);
    struct sampler_params params = {.n = 20};
    struct sampler *s, *batches;
    assert_int_equal(sampler_create("sequential", &params, &s, NULL), 0);
    params = (struct sampler_params){.inner = s, .batch_size = 3};
    assert_int_equal(sampler_create("batch", &params, &batches, NULL), 0);
    const struct {
        struct loader_config cfg;
        const char *words;
    } cases[] = {
        {{.dataset = &map, .num_workers = -1}, "num_workers option should be non-negative"},
        {{.dataset = &map, .prefetch_factor = 2}, "prefetch_factor option could only be specified"},
        {{.dataset = &map, .num_workers = 1, .prefetch_factor = -2},
         "prefetch_factor option should be non-negative"},
        {{.dataset = &map, .persistent_workers = true}, "persistent_workers option needs num_workers > 0"},
        {{.dataset = &map, .timeout_ns = 1}, "timeout option needs num_workers > 0"},
        {{.dataset = &map, .num_workers = 1, .extra_slots = -1}, "extra_slots option should be non-negative"},
        {{.dataset = &stream, .shuffle = true}, "expected unspecified shuffle option"},
        {{.dataset = &stream, .sampler = s}, "expected unspecified sampler option"},
        {{.dataset = &stream, .batch_sampler = batches}, "expected unspecified batch_sampler option"},
        /* the iterable's own complaints come before those about samplers */
        {{.dataset = &stream, .sampler = s, .shuffle = true}, "expected unspecified shuffle option"},
        {{.dataset = &map, .sampler = s, .shuffle = true},
         "sampler option is mutually exclusive with shuffle"},
        {{.dataset = &map, .batch_sampler = batches, .batch_size = 2},
         "batch_sampler option is mutually exclusive"},
        {{.dataset = &map, .batch_sampler = batches, .shuffle = true},
         "batch_sampler option is mutually exclusive"},
        {{.dataset = &map, .batch_sampler = batches, .sampler = s},
         "batch_sampler option is mutually exclusive"},
        {{.dataset = &map, .batch_sampler = batches, .drop_last = true},
         "batch_sampler option is mutually exclusive"},
        {{.dataset = &map, .batch_sampler = s}, "is no batch sampler"},
        {{.dataset = &map, .batch_size = LOADER_BATCHING_OFF, .drop_last = true}, "disables auto-batching"},
        {{.dataset = &map, .batch_size = -3}, "batch_size should be a positive integer value"},
        {{.dataset = NULL}, "needs a dataset"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        refuse(&cases[i].cfg, cases[i].words);
    sampler_destroy(batches);
    sampler_destroy(s);
}

static void a_dataset_of_both_styles_or_of_none_is_refused(void **state)
{
    (void)state;
    struct dataset both = fixture_map(&numbers), none = {.name = "none"}, half = fixture_stream(&numbers);
    both.open = half.open;
    both.next = half.next;
    half.next = NULL;
    refuse(&(struct loader_config){.dataset = &both}, "hooks of both styles");
    refuse(&(struct loader_config){.dataset = &none}, "no hooks");
    refuse(&(struct loader_config){.dataset = &half}, "needs both open and next");
    half = fixture_map(&numbers);
    half.len = NULL;
    refuse(&(struct loader_config){.dataset = &half}, "has get but no len");
}

static void an_empty_dataset_can_be_loaded_but_not_shuffled(void **state)
{
    (void)state;
    struct fixture f = {.n = 0, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    refuse(&(struct loader_config){.dataset = &ds, .shuffle = true},
           "num_samples should be a positive integer value");
    for (int workers = 0; workers < 3; workers++) {
        struct loader *l = must_create(&(struct loader_config){.dataset = &ds, .num_workers = workers});
        struct loader_iter *it = must_open(l);
        int64_t none, n = 0;
        assert_int_equal(collect(it, 1, &none, &n, NULL), -ENODATA);
        assert_int_equal(collect(it, 1, &none, &n, NULL), -ENODATA);
        loader_iter_close(it);
        loader_destroy(l);
    }
}

static void more_workers_than_allowed_cpus_are_warned_of_once(void **state)
{
    (void)state;
    struct dataset ds = fixture_map(&numbers);
    struct warnings warnings = {0};
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    struct loader_config cfg = {.dataset = &ds, .num_workers = 2, .warn = note, .warn_arg = &warnings};
    struct loader *l = must_create(&cfg);
    for (int epoch = 0; epoch < 2; epoch++)
        loader_iter_close(must_open(l));
    loader_destroy(l);
    assert_int_equal(warnings.n, 1);
    assert_non_null(strstr(warnings.last, "2 workers, more than the 1 CPUs"));
    cfg.num_workers = 1;
    loader_destroy(must_create(&cfg));
    assert_int_equal(warnings.n, 1);
    sched_setaffinity(0, sizeof before, &before);
}

static void the_forecast_counts_every_slot(void **state)
{
    (void)state;
    struct dataset ds = fixture_map(&numbers);
    ds.sample_bytes_max = 1 << 20;
    size_t bytes[3];
    for (int i = 0; i < 3; i++) {
        struct loader_config cfg = {
            .dataset = &ds, .num_workers = 2, .batch_size = 8, .prefetch_factor = i + 1, .extra_slots = 3};
        struct loader *l = must_create(&cfg);
        bytes[i] = loader_forecast_bytes(l);
        loader_destroy(l);
        size_t slots = 2 * ((size_t)i + 1) + 1 + 3 + 1;
        assert_in_range(bytes[i], slots * 8 << 20, (slots * 8 << 20) + (1 << 20));
    }
    assert_true(bytes[0] < bytes[1] && bytes[1] < bytes[2]);
}

/* Machines as they were recorded: /proc and /sys below tests/data/room/<name>. */
static void expect_room(const char *machine, size_t bytes, const char *limit)
{
    char root[512];
    struct err err = {0};
    snprintf(root, sizeof root, "%s/data/room/%s", TEST_SOURCE_DIR, machine);
    assert_int_equal(loader__check_room_at(root, bytes, NULL), 0);
    assert_int_equal(loader__check_room_at(root, bytes + 1, &err), -ENOMEM);
    if (!strstr(err.text, limit))
        fail_msg("'%s' is not in: %s", limit, err.text);
}

static void the_narrowest_limit_of_memory_is_found(void **state)
{
    (void)state;
    expect_room("plain", (size_t)4000 * 1024,
                "the machine's available memory leaves 3.91 MiB (4096000 bytes)");
    expect_room("cgroup2", 3000000 - 1000000, "the memory limit of the control group leaves");
    expect_room("cgroup1", 2500000 - 500000, "the memory limit of the control group leaves");
    expect_room("cgroup2-above", 1500000 - 700000, "the memory limit of the control group leaves");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(invalid_combinations_are_refused_with_the_references_words),
        cmocka_unit_test(a_dataset_of_both_styles_or_of_none_is_refused),
        cmocka_unit_test(an_empty_dataset_can_be_loaded_but_not_shuffled),
        cmocka_unit_test(more_workers_than_allowed_cpus_are_warned_of_once),
        cmocka_unit_test(the_forecast_counts_every_slot),
        cmocka_unit_test(the_narrowest_limit_of_memory_is_found),
    };
    return CASES(cases);
}
