/* The loader's events read back through PAPI, as any of its tools would. */
#include "harness/sde.h"

#include <papi.h>
#include <string.h>

#include "harness/counters.h"
#include "loader/dataset.h"
#include "testing/cmocka.h"

enum { SAMPLES = 60, BATCH = 4 };

static int64_t len(void *self)
{
    (void)self;
    return SAMPLES;
}

static int get(void *self, int64_t index, struct sample *out, struct err *err)
{
    (void)self;
    (void)err;
    memset(out->data, (int)index, 8);
    out->bytes = 8;
    return 0;
}

static const struct dataset numbers = {.name = "numbers", .sample_bytes_max = 8, .len = len, .get = get};

static int add_all(void)
{
    int set = PAPI_NULL;
    assert_int_equal(PAPI_library_init(PAPI_VER_CURRENT), PAPI_VER_CURRENT);
    assert_int_equal(PAPI_create_eventset(&set), PAPI_OK);
    for (size_t i = 0; harness_sde_name(i); i++)
        if (PAPI_add_named_event(set, harness_sde_name(i)) != PAPI_OK)
            fail_msg("PAPI does not know '%s'", harness_sde_name(i));
    return set;
}

static long long value_of(const long long *values, const char *name)
{
    for (size_t i = 0; harness_sde_name(i); i++)
        if (strstr(harness_sde_name(i), name))
            return values[i];
    fail_msg("no event '%s'", name);
    return -1;
}

static void take_all(struct loader_iter *from)
{
    const struct batch *b;
    while (loader_next(from, &b, NULL) == 0)
        loader_release(from, b);
}

/* PAPI's component keeps what it once found: the events are registered once in this process. */
static struct loader_iter *it;
static struct harness_sde *events;

static int open_events(void **state)
{
    (void)state;
    return harness_sde_open(&it, &events, NULL);
}

static int close_events(void **state)
{
    (void)state;
    harness_sde_close(events);
    return 0;
}

static void papi_reads_what_the_loader_counts(void **state)
{
    (void)state;
    struct loader_config cfg = {.dataset = &numbers, .num_workers = 2, .batch_size = BATCH};
    struct loader *l;
    struct loader_stats stats;
    long long values[16] = {0};
    int set = add_all();
    assert_int_equal(PAPI_start(set), PAPI_OK);
    assert_int_equal(PAPI_read(set, values), PAPI_OK);
    assert_int_equal(value_of(values, "batches"), 0); /* there is no iterator yet */
    assert_int_equal(loader_create(&cfg, &l, NULL), 0);
    assert_int_equal(loader_iter_open(l, &it, NULL), 0);
    take_all(it);
    assert_int_equal(PAPI_read(set, values), PAPI_OK);
    loader_iter_stats(it, &stats);
    assert_int_equal(value_of(values, "batches"), SAMPLES / BATCH);
    assert_int_equal(value_of(values, "samples"), SAMPLES);
    assert_int_equal(value_of(values, "bytes"), stats.bytes);
    assert_int_equal(value_of(values, "queue_empty"), stats.queue_empty);
    assert_int_equal(value_of(values, "head_of_line"), stats.head_of_line_waits);
    PAPI_stop(set, values);
    PAPI_cleanup_eventset(set);
    PAPI_destroy_eventset(&set);
    loader_iter_close(it);
    it = NULL;
    loader_destroy(l);
}

/* The way a trial reads them: only what happens inside a window counts. */
static void windows_of_the_counters_hold_the_loaders_events(void **state)
{
    (void)state;
    struct loader_config cfg = {.dataset = &numbers, .batch_size = BATCH};
    struct loader *l;
    struct harness_counters *c;
    const struct batch *b;
    assert_int_equal(loader_create(&cfg, &l, NULL), 0);
    assert_int_equal(loader_iter_open(l, &it, NULL), 0);
    assert_int_equal(harness_counters_open(&(struct harness_counters_ask){.sde = true}, &c, NULL), 0);
    for (int i = 0; i < 6; i++) {
        if (i == 2)
            harness_counters_begin(c);
        if (i == 5)
            harness_counters_end(c);
        assert_int_equal(loader_next(it, &b, NULL), 0);
        loader_release(it, b);
    }
    int found = 0;
    for (size_t i = 0; i < harness_counters_n(c); i++) {
        struct harness_count n = harness_counters_get(c, i);
        if (strcmp(n.name, "sde:::loaderbench::batches"))
            continue;
        found++;
        assert_null(n.reason);
        assert_true(n.value == 3);
        assert_true(n.share == 1);
    }
    assert_int_equal(found, 1);
    harness_counters_close(c);
    loader_iter_close(it);
    it = NULL;
    loader_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(papi_reads_what_the_loader_counts),
        cmocka_unit_test(windows_of_the_counters_hold_the_loaders_events),
    };
    return cmocka_run_group_tests(tests, open_events, close_events);
}
