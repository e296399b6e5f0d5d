/* Saved and resumed runs against unbroken ones: every batch, worker, seed and draw after the break is equal. */
#include "loader/state.h"

#include "fixture.h"
#include "golden.h"

enum { EPOCHS = 3, MOST_EVENTS = 400 };

/* One batch as the consumer sees it, or the end of an epoch (samples -1). */
struct event {
    int64_t number, worker_seed, samples;
    int worker;
    struct golden_sample sample[4];
};

struct log {
    struct event event[MOST_EVENTS];
    int n;
};

struct run {
    struct golden_data data;
    struct dataset ds;
    struct generator generator;
    struct loader_config cfg;
    struct loader *l;
    struct loader_iter *it;
};

static void run_open(struct run *r, const struct loader_config *cfg, const struct golden_data *data)
{
    r->data = *data;
    r->ds = data->shard ? golden_stream(&r->data) : golden_map(&r->data);
    r->cfg = *cfg;
    r->cfg.dataset = &r->ds;
    r->cfg.generator = &r->generator;
    generator_seed(&r->generator, cfg->seed);
    r->l = must_create(&r->cfg);
    r->it = NULL;
}

static void run_close(struct run *r)
{
    loader_iter_close(r->it);
    loader_destroy(r->l);
}

/* One step: an iterator is opened, a batch taken, or an epoch ended. False: this was the end of an epoch. */
static bool step(struct run *r, struct log *log)
{
    struct err err = {0};
    const struct batch *b;
    if (!r->it)
        r->it = must_open(r->l);
    int rc = loader_next(r->it, &b, &err);
    struct event *e = &log->event[log->n++];
    memset(e, 0, sizeof *e);
    e->samples = -1;
    if (rc == -ENODATA) {
        loader_iter_close(r->it);
        r->it = NULL;
        return false;
    }
    if (rc)
        fail_msg("%s", err.text);
    e->number = b->number;
    e->worker = b->worker;
    e->worker_seed = b->worker_seed;
    e->samples = b->samples;
    for (int64_t i = 0; i < b->samples; i++)
        memcpy(&e->sample[i], b->data + b->offset[i], sizeof e->sample[i]);
    loader_release(r->it, b);
    return true;
}

static int run_epochs(struct run *r, struct log *log, int epochs)
{
    while (epochs)
        epochs -= !step(r, log);
    return log->n;
}

static char *save(struct run *r)
{
    char *state;
    struct err err = {0};
    if (r->it ? loader_iter_save(r->it, &state, &err) : loader_save(r->l, &state, &err))
        fail_msg("%s", err.text);
    return state;
}

/* Breaks a run after `at` steps, twice at that, and resumes it in a fresh loader. */
static void break_and_resume(const struct loader_config *cfg, const struct golden_data *data,
                             const struct log *whole, int at)
{
    struct run first, second;
    static struct log log;
    struct err err = {0};
    int ends = 0;
    log.n = 0;
    run_open(&first, cfg, data);
    if (at > 1) {
        ends += !step(&first, &log);
        free(save(&first)); /* a save leaves no trace */
    }
    while (log.n < at)
        ends += !step(&first, &log);
    char *state = save(&first);
    run_close(&first);
    run_open(&second, cfg, data);
    if (loader_restore(second.l, state, &err))
        fail_msg("%s", err.text);
    free(state);
    run_epochs(&second, &log, EPOCHS - ends);
    run_close(&second);
    assert_int_equal(log.n, whole->n);
    for (int i = 0; i < log.n; i++)
        if (memcmp(&log.event[i], &whole->event[i], sizeof log.event[i]))
            fail_msg(
                "broken after %d, event %d: worker %d, not %d; first sample %lld, not %lld; draw %g, not %g",
                at, i, log.event[i].worker, whole->event[i].worker, (long long)log.event[i].sample[0].value,
                (long long)whole->event[i].sample[0].value, (double)log.event[i].sample[0].rand,
                (double)whole->event[i].sample[0].rand);
}

static void check_every_break(const struct loader_config *cfg, const struct golden_data *data)
{
    struct run r;
    static struct log whole;
    whole.n = 0;
    run_open(&r, cfg, data);
    run_epochs(&r, &whole, EPOCHS);
    run_close(&r);
    for (int at = 1; at < whole.n; at++)
        break_and_resume(cfg, data, &whole, at);
}

static void a_map_style_run_resumes_after_any_batch(void **state)
{
    (void)state;
    struct golden_data data = {.end = 11};
    for (int workers = 0; workers < 4; workers++)
        for (int shuffle = 0; shuffle < 2; shuffle++)
            for (int persistent = 0; persistent < (workers ? 2 : 1); persistent++) {
                struct loader_config cfg = {.num_workers = workers,
                                            .batch_size = 2,
                                            .shuffle = shuffle,
                                            .persistent_workers = persistent,
                                            .seed = 5,
                                            .backend = workers == 2 ? LOADER_BACKEND_THREAD
                                                                    : LOADER_BACKEND_PROCESS};
                check_every_break(&cfg, &data);
            }
}

static void a_stream_resumes_after_any_batch(void **state)
{
    (void)state;
    const char *const shards[] = {"none", "stride", "contiguous"};
    for (int workers = 0; workers < 4; workers++)
        for (int s = 0; s < 3; s++)
            for (int persistent = 0; persistent < (workers ? 2 : 1); persistent++) {
                struct golden_data data = {.end = 9, .shard = shards[s]};
                struct loader_config cfg = {.num_workers = workers,
                                            .batch_size = 2,
                                            .persistent_workers = persistent,
                                            .drop_last = s == 1,
                                            .seed = 5,
                                            .backend = workers == 2 ? LOADER_BACKEND_THREAD
                                                                    : LOADER_BACKEND_PROCESS};
                check_every_break(&cfg, &data);
            }
}

static int64_t sum_values(struct loader_iter *it, int64_t *n)
{
    int64_t values[100], sum = 0;
    *n = 0;
    assert_int_equal(collect(it, 100, values, n, NULL), -ENODATA);
    for (int64_t i = 0; i < *n; i++)
        sum += values[i];
    return sum;
}

static void an_out_of_order_run_resumes_with_the_samples_that_are_missing(void **state)
{
    (void)state;
    for (int stream = 0; stream < 2; stream++)
        for (int at = 0; at < 10; at++) {
            struct fixture f = {
                .n = stream ? 5 : 10, .deed = DEED_SLEEP, .at = 1, .in_worker = 0, .sleep_ns = 3 * MS};
            struct dataset ds = stream ? fixture_stream(&f) : fixture_map(&f);
            struct loader_config cfg = {.dataset = &ds, .num_workers = 2, .out_of_order = true};
            struct loader *l = must_create(&cfg);
            struct loader_iter *it = must_open(l);
            int64_t values[10], n = 0, sum = 0;
            char *text;
            assert_int_equal(collect(it, at, values, &n, NULL), 0);
            for (int64_t i = 0; i < n; i++)
                sum += values[i];
            assert_int_equal(loader_iter_save(it, &text, NULL), 0);
            loader_iter_close(it);
            assert_int_equal(loader_restore(l, text, NULL), 0);
            free(text);
            it = must_open(l);
            sum += sum_values(it, &n);
            assert_int_equal(at + n, 10);
            assert_int_equal(sum, stream ? 20 : 45);
            loader_iter_close(it);
            loader_destroy(l);
        }
}

static char *state_after(const struct loader_config *cfg, int64_t batches)
{
    struct loader *l = must_create(cfg);
    struct loader_iter *it = must_open(l);
    int64_t values[100], n = 0;
    char *text;
    assert_int_equal(collect(it, batches, values, &n, NULL), 0);
    assert_int_equal(loader_iter_save(it, &text, NULL), 0);
    loader_iter_close(it);
    loader_destroy(l);
    return text;
}

static void another_worker_count_is_fine_where_the_order_allows_it(void **state)
{
    (void)state;
    struct fixture f = {.n = 20, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    int64_t expected[20], expected_n = 0;
    struct loader_config cfg = {.dataset = &ds, .shuffle = true, .seed = 3};
    struct loader *l = must_create(&cfg);
    struct loader_iter *it = must_open(l);
    collect(it, 100, expected, &expected_n, NULL);
    loader_iter_close(it);
    loader_destroy(l);
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++) {
            int64_t values[20], n = 0;
            cfg.num_workers = from;
            char *text = state_after(&cfg, 7);
            cfg.num_workers = to;
            l = must_create(&cfg);
            assert_int_equal(loader_restore(l, text, NULL), 0);
            free(text);
            it = must_open(l);
            assert_int_equal(collect(it, 100, values, &n, NULL), -ENODATA);
            assert_int_equal(n, 13);
            assert_memory_equal(values, expected + 7, 13 * sizeof *values);
            loader_iter_close(it);
            loader_destroy(l);
        }
}

static void refuse(const struct loader_config *from, const struct loader_config *to, int code,
                   const char *words)
{
    char *text = state_after(from, 3);
    struct loader *l = must_create(to);
    struct err err = {0};
    assert_int_equal(loader_restore(l, text, &err), code);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
    free(text);
    loader_destroy(l);
}

static void a_resume_that_cannot_match_is_refused_with_its_reason(void **state)
{
    (void)state;
    struct fixture f = {.n = 20, .in_worker = -1}, drawing = {.n = 20, .in_worker = -1, .draw = true};
    struct dataset map = fixture_map(&f), stream = fixture_stream(&f), drawn = fixture_map(&drawing);
    struct loader_config two = {.dataset = &map, .num_workers = 2}, other = two;
    struct loader_config stream_two = {.dataset = &stream, .num_workers = 2}, stream_three = stream_two;
    struct loader_config drawn_two = {.dataset = &drawn, .num_workers = 2},
                         drawn_inline = {.dataset = &drawn};
    stream_three.num_workers = 3;
    refuse(&stream_two, &stream_three, -EOPNOTSUPP, "order of a stream");
    refuse(&drawn_two, &drawn_inline, -EOPNOTSUPP, "drew from the workers' streams");
    refuse(&drawn_inline, &drawn_two, -EOPNOTSUPP, "saved with 0 workers, this loader has 2");
    other.batch_size = 4;
    refuse(&two, &other, -EINVAL, "batches of 1, this loader has 4");
    other = two;
    other.shuffle = true;
    refuse(&two, &other, -EINVAL, "shuffle 0, this loader has 1");
    refuse(&two, &stream_two, -EINVAL, "an iterable dataset");
}

static void a_damaged_state_is_refused_wherever_it_is_damaged(void **state)
{
    (void)state;
    struct fixture f = {.n = 20, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader_config cfg = {.dataset = &ds, .num_workers = 2};
    char *text = state_after(&cfg, 3);
    size_t length = strlen(text);
    struct loader *l = must_create(&cfg);
    for (size_t cut = 0; cut < length; cut += cut < 300 || cut + 300 > length ? 1 : 97) {
        char kept = text[cut];
        text[cut] = '\0';
        assert_int_equal(loader_restore(l, text, NULL), -EINVAL);
        text[cut] = 'x';
        assert_int_equal(loader_restore(l, text, NULL), -EINVAL);
        text[cut] = kept;
    }
    struct err err = {0};
    text[13] = '2';
    assert_int_equal(loader_restore(l, text, &err), -EINVAL);
    assert_non_null(strstr(err.text, "version 2"));
    text[13] = '1';
    assert_int_equal(loader_restore(l, text, NULL), 0);
    loader_destroy(l);
    free(text);
}

static void persistent_workers_left_in_mid_epoch_cannot_be_saved(void **state)
{
    (void)state;
    struct fixture f = {.n = 20, .in_worker = -1};
    struct dataset ds = fixture_map(&f);
    struct loader_config cfg = {.dataset = &ds, .num_workers = 2, .persistent_workers = true};
    struct loader *l = must_create(&cfg);
    struct loader_iter *it = must_open(l);
    int64_t values[20], n = 0;
    char *text;
    collect(it, 3, values, &n, NULL);
    assert_int_equal(loader_restore(l, "", NULL), -EBUSY);
    loader_iter_close(it);
    assert_int_equal(loader_save(l, &text, NULL), -EBUSY);
    assert_null(text);
    loader_destroy(l);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_map_style_run_resumes_after_any_batch),
        cmocka_unit_test(a_stream_resumes_after_any_batch),
        cmocka_unit_test(an_out_of_order_run_resumes_with_the_samples_that_are_missing),
        cmocka_unit_test(another_worker_count_is_fine_where_the_order_allows_it),
        cmocka_unit_test(a_resume_that_cannot_match_is_refused_with_its_reason),
        cmocka_unit_test(a_damaged_state_is_refused_wherever_it_is_damaged),
        cmocka_unit_test(persistent_workers_left_in_mid_epoch_cannot_be_saved),
    };
    return CASES(cases);
}
