/* Every picture from a fixed result file, its data checked against what the file says. */
#include "plots/plot.h"

#include "files.h"
#include "results/io.h"
#include "results/stats/order_statistic.h"
#include "testing/cmocka.h"

#define RESULT TEST_SOURCE_DIR "/data/results/eight_arms.jsonl"

struct drawn {
    struct place *place;
    struct result result;
    struct summary *summary;
};

static int draw_all(void **state)
{
    struct drawn *d = calloc(1, sizeof *d);
    struct err err = {0};
    bool drawn[64];
    size_t n = 0;
    if (!d || make_place((void **)&d->place) || result_read(RESULT, &d->result, &err) ||
        summary_create(&d->result, 0.95, &d->summary, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    while (plot_list[n])
        n++;
    const struct summary *const list[] = {d->summary};
    struct plot_options opt = {.dir = d->place->dir};
    if (plot_draw_many(plot_list, n, list, 1, &opt, drawn, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    *state = d;
    return 0;
}

static int remove_all(void **state)
{
    struct drawn *d = *state;
    summary_destroy(d->summary);
    result_fini(&d->result);
    remove_place((void **)&d->place);
    free(d);
    return 0;
}

/* Arms line by line (1 thread, 2 threads), by workers: where the plan has worker counts by thread counts. */
static size_t arm_of_row(size_t row)
{
    return row < 4 ? 2 * row : 2 * (row - 4) + 1;
}

static void close_to(double a, double b)
{
    if (!(fabs(a - b) <= 1e-5 * fmax(fabs(a), fabs(b)) || (isnan(a) && isnan(b))))
        fail_msg("%.9g is not %.9g", a, b);
}

static double low_end(const struct estimate *e)
{
    return e->ci.known ? e->ci.low : e->value;
}

static double high_end(const struct estimate *e)
{
    return e->ci.known ? e->ci.high : e->value;
}

static void every_kind_is_drawn_in_both_formats(void **state)
{
    struct drawn *d = *state;
    const struct summary *const list[] = {d->summary};
    size_t drawn = 0;
    for (size_t i = 0; plot_list[i]; i++)
        for (int png = 0; png < 2 && !plot_missing(plot_list[i], list, 1); png++, drawn++) {
            char name[80];
            size_t size = 0;
            snprintf(name, sizeof name, "%s.%s", plot_list[i]->name, png ? "png" : "svg");
            char *file = content(d->place, name, &size);
            assert_non_null(file);
            assert_true(size > 3000);
            free(file);
        }
    assert_int_equal(drawn, 2 * 13); /* all but the history, which takes several results */
}

static void every_kind_says_what_it_is_and_is_found_by_its_name(void **state)
{
    (void)state;
    for (size_t i = 0; plot_list[i]; i++) {
        const struct plot *p = plot_list[i];
        assert_ptr_equal(plot_find(p->name), p);
        assert_true(strspn(p->name, "abcdefghijklmnopqrstuvwxyz") == strlen(p->name));
        assert_true(strlen(p->title) > 5 && strlen(p->alt) > 30);
        assert_true(p->question[strlen(p->question) - 1] == '?');
        assert_non_null(p->missing);
        assert_non_null(p->draw);
    }
    assert_null(plot_find("nonsense"));
}

/* Rows of a line chart: x, workers, value, low, high; lines in order. first: its first data set. */
static void check_lines(const struct drawn *d, const char *name, int first, double scale, size_t offset)
{
    struct rows r = read_rows(d->place, name);
    size_t seen = 0;
    for (size_t i = 0; i < r.n; i++) {
        if (r.block[i] < first || r.block[i] > first + 1)
            continue;
        size_t arm = arm_of_row(seen++);
        const struct estimate *e =
            (const struct estimate *)(const void *)((const char *)&d->summary->arms[arm] + offset);
        close_to(r.v[i][1], d->result.arms[arm].setting.workers);
        close_to(r.v[i][2] * scale, e->value);
        close_to(r.v[i][3] * scale, low_end(e));
        close_to(r.v[i][4] * scale, high_end(e));
    }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

static void workers_shows_costs_with_their_intervals(void **state)
{
    check_lines(*state, "workers.dat", 1, 1e6, offsetof(struct arm_summary, cost_ns));
}

static void rate_shows_rates_with_their_intervals(void **state)
{
    check_lines(*state, "rate.dat", 1, 1, offsetof(struct arm_summary, rate_per_s));
}

/* Data set 0: from one worker of one thread to as many as there are CPUs; per_worker: 1 = a rate, -1 = a cost. */
static void check_ideal(const struct drawn *d, const char *name, double of_one, int per_worker)
{
    struct rows r = read_rows(d->place, name);
    size_t n = 0;
    for (; n < r.n && r.block[n] == 0; n++)
        close_to(r.v[n][1], of_one * pow(r.v[n][0], per_worker));
    assert_true(n >= 2 && r.v[0][0] == 1 && r.v[n - 1][0] == d->result.cpu_budget);
    free_rows(&r);
}

static void ideal_scaling_shares_one_workers_work_until_the_cpus_are_used_up(void **state)
{
    const struct drawn *d = *state;
    const struct arm_summary *one = &d->summary->arms[arm_of_row(1)];
    assert_int_equal(d->result.arms[arm_of_row(1)].setting.workers, 1);
    check_ideal(d, "rate.dat", one->rate_per_s.value, 1);
    check_ideal(d, "workers.dat", one->cost_ns.value / 1e6, -1);
}

static void efficiency_is_the_paired_ratio_for_each_cpu(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "efficiency.dat");
    size_t seen = 0;
    for (size_t i = 0; i < r.n && r.block[i] < 2; i++) {
        size_t arm = arm_of_row(seen++);
        struct estimate e = summary_ratio(&d->result, 2, (int)arm, METRIC_COST_NS, 0.95);
        close_to(r.v[i][2], arm == 2 ? 100 : 100 * e.value / d->result.arms[arm].cpus_asked);
    }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

static void forest_shows_every_ratio_once(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "forest.dat");
    int seen = 0;
    for (size_t i = 0; i < r.n; i++) {
        if (isnan(r.v[i][0]))
            continue;
        const struct estimate *e = &d->summary->arms[arm_of_row((size_t)r.v[i][0])].to_best;
        close_to(r.v[i][1], e->value);
        close_to(r.v[i][2], fmin(low_end(e), e->value));
        close_to(r.v[i][3], fmax(high_end(e), e->value));
        seen++;
    }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

static void oversubscription_has_a_cell_for_each_setting(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "oversubscription.dat");
    size_t seen = 0;
    for (size_t i = 0; i < r.n && r.block[i] == 0; i++, seen++) {
        close_to(r.v[i][0], (double)(i % 4));
        close_to(r.v[i][1], (double)(i / 4));
        close_to(r.v[i][2], d->summary->arms[arm_of_row(i)].to_best.value);
        close_to(r.v[i][7], d->summary->choice.arm == (int)arm_of_row(i));
    }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

/* Between 1 and 2 workers of two threads, 2 and 4 of one: three pieces, joined. */
static void oversubscription_draws_the_budget_as_one_line(void **state)
{
    struct drawn *d = *state;
    static const double want[][2] = {{2.5, -0.5}, {2.5, 0.5}, {1.5, 0.5}, {1.5, 1.5}};
    struct rows r = read_rows(d->place, "oversubscription.dat");
    size_t seen = 0, first = 0;
    while (first < r.n && r.block[first] != 1)
        first++;
    bool turned = r.v[first][0] < 2; /* it may begin at either end */
    for (size_t i = first; i < r.n; i++, seen++)
        for (int k = 0; k < 2 && seen < 4; k++)
            close_to(r.v[i][k], want[turned ? 3 - seen : seen][k]);
    assert_int_equal(seen, 4);
    char *dat = content(d->place, "oversubscription.dat", NULL);
    assert_null(strstr(strstr(dat, "border of the CPU budget"), "\n\n2")); /* no gap within it */
    assert_null(strstr(strstr(dat, "border of the CPU budget"), "\n\n1"));
    free(dat);
    free_rows(&r);
}

static void tradeoff_shows_cpu_time_against_cost(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "tradeoff.dat");
    size_t seen = 0;
    for (size_t i = 0; i < r.n; i++)
        if (r.block[i] == 1 || r.block[i] == 2) {
            const struct arm_summary *a = &d->summary->arms[arm_of_row(seen++)];
            close_to(r.v[i][0] * 1e6, a->cpu_ns.value);
            close_to(r.v[i][1] * 1e6, a->cost_ns.value);
        }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

static void ecdf_rises_to_one_and_marks_the_p95(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "ecdf.dat");
    for (size_t i = 0; i < r.n; i++) {
        if (r.block[i] % 2) {
            close_to(r.v[i][0] * 1e6, d->summary->arms[arm_of_row((size_t)r.block[i] / 2)].item_p95_ns);
            continue;
        }
        bool last = i + 1 == r.n || r.block[i + 1] != r.block[i];
        assert_true(last ? r.v[i][1] == 1 : r.v[i][1] <= r.v[i + 1][1] && r.v[i][0] <= r.v[i + 1][0]);
    }
    assert_int_equal(r.block[r.n - 1], 15);
    free_rows(&r);
}

static void violin_marks_median_and_p95(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "violin.dat");
    int seen = 0;
    for (size_t i = 0; i < r.n; i++) {
        size_t row = (size_t)r.block[i] / 2;
        if (r.block[i] % 2) {
            close_to(r.v[i][0] * 1e6, d->summary->arms[arm_of_row(row)].item_p50_ns);
            close_to(r.v[i][1] * 1e6, d->summary->arms[arm_of_row(row)].item_p95_ns);
            seen++;
        } else {
            assert_true(fabs(r.v[i][1] - (double)row) <= 0.42001);
        }
    }
    assert_int_equal(seen, 8);
    free_rows(&r);
}

static void waits_stack_up_without_gaps(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "waits.dat");
    double end[8] = {0};
    for (size_t i = 0; i < r.n; i++) {
        size_t row = (size_t)r.v[i][0];
        const struct arm_summary *a = &d->summary->arms[arm_of_row(row)];
        if (r.block[i] == RESULT_WAIT_CAUSES) {
            close_to(r.v[i][1] * 1e6, a->cost_ns.value);
            continue;
        }
        close_to(r.v[i][1], end[row]);
        end[row] = r.v[i][2];
        double v = a->wait_ns[r.block[i]].value;
        assert_true(fabs((r.v[i][2] - r.v[i][1]) * 1e6 - (isfinite(v) ? v : 0)) < 1);
    }
    assert_int_equal(r.n, 8 * (RESULT_WAIT_CAUSES + 1));
    free_rows(&r);
}

/* The settings that are shown below each other, and where their rows begin. */
struct shown {
    const struct trial *trial;
    int workers, row;
};

static size_t shown_in_timeline(const struct drawn *d, struct shown out[4])
{
    const struct summary *s = d->summary;
    size_t most = 0, n = 0;
    for (size_t a = 1; a < 8; a++)
        if (d->result.arms[a].cpus_asked > d->result.arms[most].cpus_asked)
            most = a;
    const int arms[] = {s->choice.arm, s->choice.best, (int)most,
                        0}; /* 0: the main process with one thread */
    for (int k = 0, row = 0; k < 4; k++) {
        if (k == 1 && arms[1] == arms[0])
            continue;
        int workers = d->result.arms[arms[k]].setting.workers;
        out[n++] = (struct shown){&d->result.invocations[0].trials[arms[k]], workers, row};
        row += workers + 2;
    }
    return n;
}

static double until(const struct shown *shown, size_t n)
{
    double end = INFINITY;
    for (size_t k = 0; k < n; k++)
        end = fmin(end, shown[k].trial->timeline[shown[k].trial->ntimeline - 1].received_ns);
    return end;
}

static void timeline_has_a_bar_for_each_batch_on_its_workers_lane(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "timeline.dat");
    struct shown shown[4];
    size_t n = shown_in_timeline(d, shown), at = 0;
    double end = until(shown, n);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; i < shown[k].trial->ntimeline; i++) {
            const struct batch_times *b = &shown[k].trial->timeline[i];
            if (b->started_ns >= end)
                continue;
            assert_true(at < r.n && r.block[at] == 0);
            close_to(r.v[at][0] * 1e6, b->started_ns);
            close_to(r.v[at][1] * 1e6, fmin(b->finished_ns, end));
            close_to(r.v[at][2], shown[k].row + 2 + b->worker);
            close_to(r.v[at++][3], b->worker);
        }
    assert_true(at > 20 && r.block[at] == 1); /* and no others */
    free_rows(&r);
}

/* Every moment of the consumer is work or a wait of one cause: nothing lies over anything, nothing is left out. */
static void timeline_accounts_for_every_moment_of_the_consumer(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "timeline.dat");
    struct shown shown[4];
    size_t n = shown_in_timeline(d, shown);
    double end = until(shown, n);
    for (size_t k = 0; k < n; k++) {
        double sum = 0, waited = 0, told = 0;
        for (size_t i = 0; i < r.n; i++)
            if (r.block[i] >= 2 && r.v[i][2] == shown[k].row + 1) {
                sum += (r.v[i][1] - r.v[i][0]) * 1e6;
                waited += r.block[i] > 2 ? (r.v[i][1] - r.v[i][0]) * 1e6 : 0;
            }
        for (size_t i = 0; i < shown[k].trial->ntimeline; i++) {
            const struct batch_times *b = &shown[k].trial->timeline[i];
            told += fmax(0, fmin(b->received_ns, end) - (b->received_ns - b->wait_ns));
        }
        if (!shown[k].workers)
            continue;
        assert_true(fabs(sum - end) < 1e-4 * end);
        assert_true(fabs(waited - told) < 1e-4 * end);
    }
    free_rows(&r);
}

/* In the fixture every fourth batch takes three times as long as the others. While it is made by one of two workers, the
 * other finishes the next one after a third of that time: two thirds are a head-of-line stall. */
static void timeline_shows_where_a_later_batch_was_ready(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "timeline.dat");
    struct shown shown[4];
    shown_in_timeline(d, shown);
    assert_int_equal(shown[0].workers, 2);
    for (size_t i = 0; i < r.n; i++)
        if (r.block[i] == 4 && r.v[i][2] == 1) {
            close_to(r.v[i][0], 2.8); /* one_ns is 28 ms: a short batch takes 2.8 ms, a long one 8.4 */
            close_to(r.v[i][1], 8.4);
            free_rows(&r);
            return;
        }
    fail_msg("no stall");
}

static void order_shows_each_invocations_median_over_the_settings_own(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "order.dat");
    size_t seen = 0;
    for (size_t i = 0; i < r.n && r.block[i] < 8; i++, seen++) {
        size_t arm = arm_of_row((size_t)r.block[i]);
        const struct invocation *inv = &d->result.invocations[(size_t)r.v[i][0] - 1];
        double v[64];
        size_t n = 0;
        for (size_t t = 0; t < inv->ntrials; t++)
            for (size_t u = 1; inv->trials[t].arm == (int)arm && u < inv->trials[t].nturns; u++)
                v[n++] = inv->trials[t].turns[u].cost_ns;
        close_to(r.v[i][1], stats_median(v, n) / d->summary->arms[arm].cost_ns.value);
    }
    assert_int_equal(seen, 8 * d->result.ninvocations);
    free_rows(&r);
}

static void counters_show_medians_from_the_record(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "counters.dat");
    size_t seen = 0;
    for (size_t i = 0; i < r.n && r.block[i] == 0; i++, seen++)
        close_to(r.v[i][1], d->result.invocations[0].trials[arm_of_row(i)].counters[0].value);
    assert_int_equal(seen, 8);
    free_rows(&r);
}

/* The fixture puts worker w on CPU w modulo the budget of 2. */
static void placement_shows_the_threads_on_each_cpu(void **state)
{
    struct drawn *d = *state;
    struct rows r = read_rows(d->place, "placement.dat");
    double sum[8] = {0};
    for (size_t i = 0; i < r.n && r.block[i] == 0; i++) {
        const struct setting *g = &d->result.arms[arm_of_row((size_t)r.v[i][1])].setting;
        int on_cpu = g->workers == 0 ? 1 : (g->workers + (r.v[i][0] < 0.5)) / 2;
        close_to(r.v[i][2], on_cpu * g->threads);
        sum[(size_t)r.v[i][1]] += r.v[i][2];
    }
    for (size_t row = 0; row < 8; row++)
        close_to(sum[row], d->result.arms[arm_of_row(row)].cpus_asked);
    free_rows(&r);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(every_kind_is_drawn_in_both_formats),
        cmocka_unit_test(every_kind_says_what_it_is_and_is_found_by_its_name),
        cmocka_unit_test(workers_shows_costs_with_their_intervals),
        cmocka_unit_test(rate_shows_rates_with_their_intervals),
        cmocka_unit_test(ideal_scaling_shares_one_workers_work_until_the_cpus_are_used_up),
        cmocka_unit_test(efficiency_is_the_paired_ratio_for_each_cpu),
        cmocka_unit_test(forest_shows_every_ratio_once),
        cmocka_unit_test(oversubscription_has_a_cell_for_each_setting),
        cmocka_unit_test(oversubscription_draws_the_budget_as_one_line),
        cmocka_unit_test(tradeoff_shows_cpu_time_against_cost),
        cmocka_unit_test(ecdf_rises_to_one_and_marks_the_p95),
        cmocka_unit_test(violin_marks_median_and_p95),
        cmocka_unit_test(waits_stack_up_without_gaps),
        cmocka_unit_test(timeline_has_a_bar_for_each_batch_on_its_workers_lane),
        cmocka_unit_test(timeline_accounts_for_every_moment_of_the_consumer),
        cmocka_unit_test(timeline_shows_where_a_later_batch_was_ready),
        cmocka_unit_test(order_shows_each_invocations_median_over_the_settings_own),
        cmocka_unit_test(counters_show_medians_from_the_record),
        cmocka_unit_test(placement_shows_the_threads_on_each_cpu),
    };
    return cmocka_run_group_tests(cases, draw_all, remove_all);
}
