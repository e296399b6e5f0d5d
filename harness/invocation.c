/* One invocation: all arms of the race are started afresh, warmed up, and take turns while the others sleep.
 *
 * What voids without looking at the outcome: a trial that failed or whose placement did not hold voids the invocation
 * for all arms, and so does one that left time untold in more than half of its turns; a turn with time untold voids the
 * block (a burst of steal may fall between answer and ear), and so does CPU time that sleeping trees used during a turn,
 * more than 1 % of it. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session.h"
#include "throttle.h"

static const double OTHER_CPU_LIMIT = 0.01;
static const uint64_t ORPHAN_WAIT_NS = UINT64_C(2000000000);
static const uint64_t TIMEOUT_NS = UINT64_C(60000000000);
enum { GROWTH_MAX = 16, BATCHES_MAX = 1 << 28, PILOT_BLOCKS_LEAST = 2 };
enum { TIMELINE_ROUNDS = 3, TIMELINE_LEAST = 8, TIMELINE_MOST = 384 };

/* The arms that are alive together, [n]: all of the race, or, where those do not fit at once, one group of it after
 * another. */
struct live {
    struct session *s;
    struct invocation *inv;
    const int *arm; /* which they are */
    size_t n;
    size_t first; /* their trials are inv->trials[first ...] */
    struct subject *subject;
    struct harness_tree **tree;
    int group;                  /* from 0 */
    double start_ns, blocks_ns; /* starts of this group, blocks of all so far */
    int culprit;                /* index of the trial that failed; -1 = none */
};

static const struct arm *arm_at(const struct live *l, size_t k)
{
    return &l->s->r->arms[l->arm[k]];
}

static struct trial *trial_at(const struct live *l, size_t k)
{
    return &l->inv->trials[l->first + k];
}

static void blame(struct live *l, size_t k)
{
    l->culprit = (int)(l->first + k);
}

static uint64_t timeout_ns(const struct session *s)
{
    return s->cfg->timeout_ns ? s->cfg->timeout_ns : TIMEOUT_NS;
}

/* ---- start ---- */

static void spec_done(struct trial_spec *spec)
{
    for (int i = 0; spec->worker_cpus && i < spec->setting.workers; i++)
        free(spec->worker_cpus[i]);
    free(spec->worker_cpus);
    free(spec->main_cpus);
}

/* All trials of an invocation load the same samples, those of another invocation other ones (where they are shuffled): how
 * samples differ is then part of the spread between invocations, which an interval is made of. At most 2^53 - 1, which
 * every reader of JSON holds. */
static uint64_t seed_of(const struct session *s)
{
    return (s->r->seed + (uint64_t)s->invocation) & ((UINT64_C(1) << 53) - 1);
}

/* The spec of an arm on the CPUs drawn for this invocation. Workload and setting are borrowed from the arm. */
static int make_spec(const struct live *l, size_t k, struct trial_spec *spec, struct err *err)
{
    const struct arm *a = arm_at(l, k);
    const struct harness_placement *p = &l->s->arm[l->arm[k]].placement;
    *spec = (struct trial_spec){.workload = a->workload,
                                .setting = a->setting,
                                .seed = seed_of(l->s),
                                .spawned_ns = clock_now_ns(),
                                .counters = (char *)(uintptr_t)l->s->cfg->counters,
                                .bound = p->bound};
    spec->worker_cpus = calloc((size_t)a->setting.workers + 1, sizeof *spec->worker_cpus);
    if (!spec->worker_cpus)
        return err_set(err, -ENOMEM, "out of memory for a trial");
    const int *map = p->os ? p->os : l->inv->cpus; /* CPUs that were named are those */
    int rc = harness_placement_os_list(p->main, map, &spec->main_cpus, err);
    for (int w = 0; !rc && w < a->setting.workers; w++)
        rc = harness_placement_os_list(p->worker[w], map, &spec->worker_cpus[w], err);
    return rc;
}

/* Subjects that are commands, and launchers, are words for the shell; the core's path is never parsed by it. */
static int start_subject(const struct session *s, const struct arm *a, struct subject *subject,
                         struct err *err)
{
    const char *launcher = s->cfg->launcher;
    int is_core = !strcmp(a->subject, "core");
    char *script = NULL;
    subject->stop = s->cfg->stop;
    subject->rest = launcher ? SUBJECT_REST_WAIT : SUBJECT_REST_STOP;
    if (is_core && !launcher) {
        const char *argv[] = {s->cfg->core, "trial", NULL};
        return subject_start(subject, argv, s->guardian, err);
    }
    if (asprintf(&script, "exec %s %s", launcher ? launcher : "", is_core ? "\"$0\" trial" : a->subject) < 0)
        return err_set(err, -ENOMEM, "out of memory for a trial");
    const char *argv[] = {"/bin/sh", "-c", script, s->cfg->core, NULL};
    int rc = subject_start(subject, argv, s->guardian, err);
    free(script);
    return rc;
}

/* As subject_ask. When the process that runs a consumer of the user's own died, that consumer is named. */
static int ask(struct live *l, size_t k, json_t *line, json_t **answer, struct err *err)
{
    const char *consumer = arm_at(l, k)->workload.consumer;
    int rc = subject_ask(&l->subject[k], line, timeout_ns(l->s), answer, err);
    if (rc == -EPIPE && consumer && !strncmp(consumer, "plugin:", 7))
        err_prefix(err, "with the consumer %s", consumer);
    return rc;
}

/* How long ago that was; a launcher may start the trial on a machine with another clock. */
static double since_ns(const struct session *s, uint64_t spawned_ns)
{
    return s->cfg->launcher ? INFINITY : (double)(clock_now_ns() - spawned_ns);
}

static int start_trial(struct live *l, size_t k, struct err *err)
{
    struct session *s = l->s;
    struct trial *t = trial_at(l, k);
    struct subject *subject = &l->subject[k];
    struct trial_spec spec;
    session_progress(s, "start", l->arm[k], 0);
    s->arm[l->arm[k]].asked = s->arm[l->arm[k]].untold = 0;
    int rc = make_spec(l, k, &spec, err);
    rc = rc ? rc : start_subject(s, arm_at(l, k), subject, err);
    json_t *answer = NULL;
    rc = rc ? rc : ask(l, k, harness_spec_json(&spec), &answer, err);
    rc = rc ? rc : harness_ready_parse(answer, since_ns(s, spec.spawned_ns), t, err);
    rc = rc ? rc : harness_trees_find(&l->tree[k], 1, err);
    rc = rc ? rc : subject_sleep(subject, err);
    if (!rc && t->placement_text)
        rc = err_set(err, -EXDEV, "placement did not hold: %s", t->placement_text);
    json_decref(answer);
    spec_done(&spec);
    if (rc)
        blame(l, k);
    return rc;
}

/* ---- turns ---- */

static uint64_t others_cpu_ns(const struct live *l, size_t k)
{
    uint64_t sum = 0;
    for (size_t j = 0; j < l->n; j++)
        if (j != k)
            sum += harness_tree_cpu_ns(l->tree[j]);
    return sum;
}

static int ask_turn(struct live *l, size_t k, int64_t batches, struct turn *out, struct err *err)
{
    int64_t warm = arm_at(l, k)->setting.workers ? 0 : 1;
    json_t *line =
        json_pack("{s:{s:I, s:I}}", "turn", "warm_batches", (json_int_t)warm, "batches", (json_int_t)batches);
    struct harness_turn_bounds bounds = {
        .batches = batches, .batch_size = arm_at(l, k)->workload.batch_size, .delayed_ns = NAN};
    json_t *answer;
    double delay = l->s->cfg->launcher ? NAN : harness_tree_delay_ns(l->tree[k]);
    uint64_t from = clock_now_ns();
    int rc = ask(l, k, line, &answer, err);
    if (rc)
        return rc;
    bounds.waited_ns = (double)(clock_now_ns() - from);
    if (!l->s->cfg->launcher) /* else the answer's way is nobody's to tell */
        bounds.delayed_ns = fmax(0, harness_tree_delay_ns(l->tree[k]) - delay);
    rc = harness_turn_parse(answer, &bounds, out, err);
    json_decref(answer);
    return rc;
}

static int run_turn(struct live *l, size_t k, int64_t batches, struct turn *out, struct err *err)
{
    uint64_t others = others_cpu_ns(l, k), from = clock_now_ns();
    double steal = harness_steal_ns();
    subject_wake(&l->subject[k]);
    int rc = ask_turn(l, k, batches, out, err);
    rc = rc ? rc : subject_sleep(&l->subject[k], err);
    if (rc) {
        blame(l, k);
        return rc;
    }
    struct session_arm *a = &l->s->arm[l->arm[k]];
    a->asked++;
    a->untold += out->void_reason != NULL;
    if (out->void_reason)
        err_set(&a->why, -EPROTO, "%s", out->void_reason);
    double window = (double)(clock_now_ns() - from);
    out->steal_ns = harness_steal_ns() - steal;
    out->other_cpu_ns = (double)(others_cpu_ns(l, k) - others);
    if (!out->void_reason && out->other_cpu_ns > OTHER_CPU_LIMIT * window &&
        asprintf(&out->void_reason, "sleeping trials used %.2g %% of a CPU meanwhile",
                 100 * out->other_cpu_ns / window) < 0)
        out->void_reason = NULL;
    return 0;
}

static void clear_turn(struct turn *t)
{
    free(t->items);
    free(t->void_reason);
    free(t->extra);
    *t = result_turn_unknown();
}

static bool same_trial(const struct arm *a, const struct arm *b)
{
    return !strcmp(a->workload.data, b->workload.data) &&
           !strcmp(a->workload.transform, b->workload.transform) &&
           a->workload.batch_size == b->workload.batch_size && a->setting.workers == b->setting.workers &&
           a->setting.threads == b->setting.threads;
}

/* Two builds of one arm take turns of the same number of batches: the larger of what was found for each. */
static int64_t known_batches(const struct live *l, size_t k)
{
    int64_t most = 0;
    for (size_t j = 0; j < l->n; j++) {
        int64_t batches = l->s->arm[l->arm[j]].batches;
        if (batches > most && same_trial(arm_at(l, j), arm_at(l, k)))
            most = batches;
    }
    return most;
}

/* How many batches take as long as a turn should? Asked in each warm-up, from what was known before: one turn that was
 * held up must not leave turns of a single batch for the rest of the session. It only grows. */
static int pilot_turn(struct live *l, size_t k, struct turn *out, struct err *err)
{
    struct session_arm *a = &l->s->arm[l->arm[k]];
    int workers = arm_at(l, k)->setting.workers;
    int64_t round = workers ? workers : 1;
    for (int64_t batches = a->batches ? a->batches : round;;) {
        int rc = run_turn(l, k, batches, out, err);
        if (rc)
            return rc;
        double wanted = l->s->target_ns / out->wall_ns;
        if (wanted < 1.5 || batches > BATCHES_MAX) {
            a->batches = batches;
            return 0;
        }
        double factor = wanted > GROWTH_MAX ? GROWTH_MAX : wanted;
        batches = (int64_t)ceil((double)(batches / round) * factor) * round;
        clear_turn(out);
    }
}

static int add_turn(struct live *l, size_t k, int block, int slot, struct err *err)
{
    struct trial *t = trial_at(l, k);
    struct session_arm *a = &l->s->arm[l->arm[k]];
    a->batches = known_batches(l, k);
    struct turn *more = realloc(t->turns, (t->nturns + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for a turn");
    t->turns = more;
    struct turn turn = result_turn_unknown();
    session_progress(l->s, "turn", l->arm[k], block);
    bool sizes = block == 0 || !a->batches;
    int rc = sizes ? pilot_turn(l, k, &turn, err) : run_turn(l, k, a->batches, &turn, err);
    if (rc) {
        clear_turn(&turn);
        return rc;
    }
    turn.block = block;
    turn.slot = slot;
    t->turns[t->nturns++] = turn;
    return 0;
}

/* round: of the warm-up, which is block 0 however many it has. */
static int run_block(struct live *l, int block, int round, struct err *err)
{
    struct session *s = l->s;
    struct session_block b = {.turn = NULL};
    int rc = harness_trees_find(l->tree, l->n, err);
    rc = rc ? rc : session_block(s, l->group, block, s->invocation, &b, err);
    size_t first = b.slots * (size_t)round;
    for (size_t i = 0; !rc && i < b.slots; i++)
        rc = add_turn(l, b.turn[i], b.number, (int)(first + i), err);
    bool back = s->pilot && block && l->n != 2; /* ABBA goes back by itself */
    for (size_t i = b.slots; !rc && back && i-- > 0;)
        rc = add_turn(l, b.turn[i], b.number, (int)(2 * b.slots - 1 - i), err);
    free(b.turn);
    return rc;
}

static int warmup_rounds(const struct session *s)
{
    return s->r->warmup_blocks ? s->r->warmup_blocks : 1;
}

/* Time the turns of the last block took without the pilot's search. */
static double last_turns_ns(const struct live *l)
{
    double sum = 0;
    for (size_t k = 0; k < l->n; k++) {
        const struct trial *t = trial_at(l, k);
        const struct turn *last = t->nturns ? &t->turns[t->nturns - 1] : NULL;
        int workers = arm_at(l, k)->setting.workers;
        double rounds = last && workers ? (double)last->batches / workers : 2;
        sum += last ? last->wall_ns * (1 + (workers ? 1 + 1 / rounds : 1 / rounds))
                    : 0; /* and the untimed part */
    }
    return sum;
}

/* Blocks beside the warm-up while nothing is known of the noise: as much time for turns as the start took (in the pilot
 * at least two, to see what differs between them), but so many invocations as a first look needs must fit into the
 * budget. */
static int choose_blocks(const struct live *l)
{
    const struct session *s = l->s;
    double start = l->start_ns * s->ngroups;
    double block = s->block_cost_ns > 0 ? s->block_cost_ns : last_turns_ns(l) * s->ngroups;
    if (s->pilot && s->block_cost_ns <= 0 && l->n != 2)
        block *= 2;
    double wanted = round(start / block);
    double left = s->r->budget_ns > 0 && !s->cfg->invocations
                      ? (0.9 * s->r->budget_ns / s->next_look_at - start - warmup_rounds(s) * block) / block
                      : INFINITY;
    if (s->pilot && wanted < PILOT_BLOCKS_LEAST)
        wanted = PILOT_BLOCKS_LEAST;
    double blocks = wanted < left ? wanted : floor(left);
    return blocks < 1 ? 1 : blocks > PILOT_BLOCKS_MAX ? PILOT_BLOCKS_MAX : (int)blocks;
}

/* ---- timelines ---- */

/* A few rounds of the workers, or as many batches as a turn has: enough to see, and no more than fits a picture. */
static int64_t timeline_batches(const struct live *l, size_t k)
{
    int64_t rounds = TIMELINE_ROUNDS * (int64_t)arm_at(l, k)->setting.workers, most = TIMELINE_MOST;
    int64_t n = l->s->arm[l->arm[k]].batches;
    n = n > TIMELINE_LEAST ? n : TIMELINE_LEAST;
    n = n > rounds ? n : rounds;
    return n < most ? n : most;
}

static int take_timeline(struct live *l, size_t k, struct err *err)
{
    int warm = arm_at(l, k)->setting.workers ? 0 : 1;
    int64_t batches = timeline_batches(l, k);
    json_t *answer, *line = json_pack("{s:{s:i, s:I, s:b}}", "turn", "warm_batches", warm, "batches",
                                      (json_int_t)batches, "timeline", true);
    subject_wake(&l->subject[k]);
    int rc = ask(l, k, line, &answer, err);
    if (!rc) {
        rc = harness_timeline_parse(answer, batches, trial_at(l, k), err);
        json_decref(answer);
    }
    rc = rc ? rc : subject_sleep(&l->subject[k], err);
    if (rc)
        blame(l, k);
    return rc;
}

/* After the last turn of the first invocation that counts, so that no figure can feel it. */
static int take_timelines(struct live *l, struct err *err)
{
    uint64_t from = clock_now_ns();
    int rc = 0;
    for (size_t k = l->group > 0; !rc && k < l->n && l->s->cfg->timeline && !l->s->valid; k++)
        rc = take_timeline(l, k, err); /* the reference's is that of its first group */
    l->s->timeline_cost_ns += (double)(clock_now_ns() - from);
    return rc;
}

/* ---- end ---- */

/* Once for an arm whose subject does not tell its untimed part: nothing holds its times from below then. */
static void warn_untold(struct live *l, size_t k)
{
    const struct trial *t = trial_at(l, k);
    struct session_arm *a = &l->s->arm[l->arm[k]];
    double told = 0, seen = 0;
    for (size_t i = 0; i < t->nturns; i++)
        if (isnan(t->turns[i].untimed_ns)) {
            told += t->turns[i].wall_ns;
            seen += t->turns[i].seen_ns;
        }
    if (a->warned_untold || !(seen > 0))
        return;
    a->warned_untold = true;
    session_warn(
        l->s,
        "%s: its subject does not tell \"untimed_ns\": %.0f %% of the time that its turns took from here "
        "is not accounted for",
        arm_at(l, k)->name, 100 * fmax(0, 1 - told / seen));
}

static int stop_trial(struct live *l, size_t k, struct err *err)
{
    struct trial *t = trial_at(l, k);
    const struct session_arm *a = &l->s->arm[l->arm[k]];
    json_t *answer;
    t->peak_bytes = harness_tree_pss_bytes(l->tree[k]);
    subject_wake(&l->subject[k]);
    int rc = ask(l, k, json_pack("{s:{}}", "stop"), &answer, err);
    if (!rc) {
        rc = harness_totals_parse(answer, t, err);
        json_decref(answer);
    }
    if (!rc && 2 * a->untold > a->asked)
        rc = err_set(err, -EPROTO, "%s", a->why.text);
    if (rc)
        blame(l, k);
    else
        warn_untold(l, k);
    return rc;
}

static int measure_group(struct live *l, struct err *err)
{
    struct session *s = l->s;
    uint64_t from = clock_now_ns();
    int rc = 0;
    for (size_t k = 0; !rc && k < l->n; k++)
        rc = start_trial(l, k, err);
    l->start_ns = (double)(clock_now_ns() - from);
    for (int round = 0; !rc && round < warmup_rounds(s); round++)
        rc = run_block(l, 0, round, err);
    if (!rc && !s->blocks)
        s->blocks = s->design.blocks = choose_blocks(l);
    from = clock_now_ns();
    for (int b = 1; !rc && b <= s->blocks; b++)
        rc = run_block(l, b, 0, err);
    l->blocks_ns += (double)(clock_now_ns() - from);
    rc = rc ? rc : take_timelines(l, err);
    for (size_t k = 0; !rc && k < l->n; k++)
        rc = stop_trial(l, k, err);
    return rc;
}

static void note_orphan(void *arg, pid_t pid, const char *name)
{
    session_warn(arg, "a trial left process %d (%s) behind, in a session of its own: killed", (int)pid, name);
}

/* All trials have ended: what is left of them are orphans. */
static void end_group(struct live *l, struct err *err)
{
    int rc = 0;
    for (size_t k = 0; k < l->n; k++) {
        int one = subject_end(&l->subject[k], err);
        rc = rc ? rc : one;
    }
    if (!rc)
        harness_orphans_kill(&l->s->known, ORPHAN_WAIT_NS, note_orphan, l->s, err);
}

/* *ending: a process that cannot be ended, which ends the session. */
static int measure(struct live *l, struct err *err, struct err *ending)
{
    struct session *s = l->s;
    int rc = 0;
    for (l->group = 0; !rc && !ending->code && l->group < s->ngroups; l->group++) {
        l->arm = &s->alive[l->group * s->together];
        l->n = (size_t)s->nalive[l->group];
        rc = measure_group(l, err);
        end_group(l, ending);
        l->first += l->n;
    }
    if (!rc)
        s->block_cost_ns = l->blocks_ns / s->blocks;
    return rc ? rc : session_check_delivery(s, l->inv, &l->culprit, err);
}

/* A trial failed: the invocation is void for all; a second failure in a row takes the arm out of the session. */
static int note_failure(struct live *l, const struct err *why, struct err *err)
{
    struct session *s = l->s;
    int arm = l->inv->trials[l->culprit].arm;
    l->inv->void_arm = arm;
    if (asprintf(&l->inv->void_reason, "%s: %s", s->r->arms[arm].name, why->text) < 0)
        return err_set(err, -ENOMEM, "out of memory for a failure");
    session_warn(s, "invocation %d is void: %s", s->invocation, l->inv->void_reason);
    if (++s->arm[arm].failures < FAILURES_MAX)
        return 0;
    s->arm[arm].in_race = false;
    s->arm[arm].timed_out = why->code == -ETIMEDOUT;
    s->r->arms[arm].failure = strdup(why->text);
    return s->cfg->writer ? result_writer_failure(s->cfg->writer, s->invocation, arm, why->text, err) : 0;
}

static int open_live(struct live *l, struct session *s, struct err *err)
{
    struct invocation *all = realloc(s->r->invocations, (s->r->ninvocations + 1) * sizeof *all);
    if (!all)
        return err_set(err, -ENOMEM, "out of memory for an invocation");
    s->r->invocations = all;
    struct invocation *inv = &all[s->r->ninvocations];
    int ncpus = s->cfg->topology->ncpus;
    *inv = (struct invocation){.index = s->invocation,
                               .look = s->look,
                               .look_at = s->next_look_at,
                               .void_arm = -1,
                               .fixed_work_after_ns = NAN};
    *l = (struct live){.s = s, .inv = inv, .culprit = -1};
    inv->cpus = calloc((size_t)ncpus, sizeof *inv->cpus);
    inv->trials = calloc(session_trials(s), sizeof *inv->trials);
    l->subject = calloc((size_t)s->together, sizeof *l->subject);
    l->tree = calloc((size_t)s->together, sizeof *l->tree);
    s->r->ninvocations++; /* from here on result_fini frees it */
    if (!inv->cpus || !inv->trials || !l->subject || !l->tree)
        return err_set(err, -ENOMEM, "out of memory for %zu trials", s->nracing);
    inv->ncpus = (size_t)ncpus;
    inv->ntrials = session_trials(s);
    harness_topology_draw(s->cfg->topology, s->r->seed, s->invocation, inv->cpus);
    size_t n = 0;
    for (int g = 0; g < s->ngroups; g++)
        for (int k = 0; k < s->nalive[g]; k++)
            inv->trials[n++] = (struct trial){.arm = s->alive[g * s->together + k],
                                              .start_ns = NAN,
                                              .first_batch_ns = NAN,
                                              .work_flops = NAN,
                                              .peak_bytes = NAN};
    for (int k = 0; k < s->together; k++)
        l->tree[k] = &l->subject[k].tree;
    return 0;
}

/* An invocation that was broken off is not part of the result. */
static void take_back(struct session *s)
{
    struct result last = {.invocations = malloc(sizeof *last.invocations), .ninvocations = 1};
    if (!last.invocations)
        return;
    last.invocations[0] = s->r->invocations[--s->r->ninvocations];
    result_fini(&last);
}

int session_invocation(struct session *s, struct err *err)
{
    struct live l;
    struct err why = {0}, ending = {0};
    uint64_t from = clock_now_ns();
    int rc = open_live(&l, s, err);
    if (rc)
        goto out;
    s->timeline_cost_ns = 0;
    l.inv->fixed_work_before_ns = session_fixed_work_ns(s->cfg->topology);
    int failed = measure(&l, &why, &ending);
    if (ending.code) /* a process that cannot be ended ends the session */
        rc = err_set(err, ending.code, "%s", ending.text);
    l.inv->fixed_work_after_ns = session_fixed_work_ns(s->cfg->topology);
    s->invocation_cost_ns = l.inv->took_ns = (double)(clock_now_ns() - from) - s->timeline_cost_ns;
    l.inv->block_ns = s->block_cost_ns;
    l.inv->blocks = s->blocks;
    l.inv->ended_ns = session_elapsed_ns(s);
    if (!rc && failed && (failed == -EINTR || l.culprit < 0))
        rc = err_set(err, failed, "%s", why.text);
    if (rc) {
        take_back(s);
        goto out;
    }
    for (size_t k = 0; !failed && k < s->nracing; k++)
        s->arm[s->racing[k]].failures = 0;
    rc = failed ? note_failure(&l, &why, err) : 0;
    if (!rc && s->cfg->writer)
        rc = result_writer_invocation(s->cfg->writer, l.inv, err);
    if (!rc && failed)
        rc = -EAGAIN;
out:
    free(l.subject);
    free(l.tree);
    return rc;
}
