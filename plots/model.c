/* From summaries to arms and lines; see model.h. */
#include "model.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "quote.h"

enum { RESULT_COLUMNS = 16 };

bool plot__measured(const struct plot_arm *a)
{
    return isfinite(a->sum->cost_ns.value);
}

static bool same(const char *a, const char *b)
{
    return !strcmp(a ? a : "", b ? b : "");
}

static bool same_workload(const struct workload *a, const struct workload *b)
{
    return same(a->data, b->data) && same(a->transform, b->transform) && same(a->sampler, b->sampler) &&
           same(a->consumer, b->consumer) && same(a->on_error, b->on_error) && same(a->cache, b->cache) &&
           a->batch_size == b->batch_size;
}

/* Whether b lies on the line of a. What only workers have (backend, prefetch factor, affinity) does not keep
 * the main process's arm off. */
static bool same_line(const struct arm *a, const struct arm *b)
{
    const struct setting *x = &a->setting, *y = &b->setting;
    bool inside = x->workers == 0 || y->workers == 0;
    return x->threads == y->threads && same(a->subject, b->subject) &&
           same_workload(&a->workload, &b->workload) &&
           (inside || (same(x->affinity, y->affinity) && same(x->backend, y->backend) &&
                       x->prefetch_factor == y->prefetch_factor && x->reserve_main == y->reserve_main));
}

/* By threads first, so that the colours of 1, 2, 4 threads come in order; then as they stand in the plan,
 * the arms with workers before the main process's. */
static int by_line(const void *pa, const void *pb)
{
    const struct plot_arm *a = pa, *b = pb;
    if (a->result != b->result)
        return a->result < b->result ? -1 : 1;
    if (a->arm->setting.threads != b->arm->setting.threads)
        return a->arm->setting.threads < b->arm->setting.threads ? -1 : 1;
    bool inside_a = a->arm->setting.workers == 0, inside_b = b->arm->setting.workers == 0;
    if (inside_a != inside_b)
        return inside_a ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

static int by_workers(const void *pa, const void *pb)
{
    const struct plot_arm *a = pa, *b = pb;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->arm->setting.workers != b->arm->setting.workers)
        return a->arm->setting.workers < b->arm->setting.workers ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static void find_lines(struct plot_model *m)
{
    qsort(m->arms, m->narms, sizeof *m->arms, by_line);
    for (size_t i = 0; i < m->narms; i++) {
        struct plot_arm *a = &m->arms[i];
        size_t l = 0;
        while (l < m->nlines && (m->lines[l].result != a->result || !same_line(m->lines[l].first, a->arm)))
            l++;
        if (l == m->nlines) {
            m->lines[m->nlines] =
                (struct plot_line){.result = a->result, .first = a->arm, .look = plot__look(l)};
            m->nlines++;
        }
        a->line = l;
        m->lines[l].narms++;
    }
    qsort(m->arms, m->narms, sizeof *m->arms, by_workers);
}

static void give_colours(struct plot_model *m)
{
    size_t rank = 0;
    for (size_t i = 0; i < m->narms; i++) {
        struct plot_arm *a = &m->arms[i];
        const struct plot_line *line = &m->lines[a->line];
        rank = i && m->arms[i - 1].line == a->line ? rank + 1 : 0;
        double pale = line->narms > 1 ? 0.55 * (1 - (double)rank / (double)(line->narms - 1)) : 0;
        a->rgb = plot__tint(line->look.rgb, pale);
    }
}

const char *plot__chosen_word(const struct plot_arm *a)
{
    enum choice_state state = a->summary->choice.state;
    return state == CHOICE_DECIDED || state == CHOICE_TIED ? "recommended" : "best guess";
}

static void add_word(struct text *t, const char *word)
{
    text_addf(t, "%s%s", t->len ? ", " : "", word && *word ? word : "default");
}

/* Which attributes differ between the lines of one result: between results the name of the file tells. */
struct differences {
    bool affinity, backend, prefetch, reserve, subject, data, transform, sampler, batch, consumer, on_error,
        cache;
};

static struct differences find_differences(const struct plot_model *m)
{
    struct differences d = {0};
    for (size_t i = 1, first = 0; i < m->nlines; i++) {
        if (m->lines[i].result != m->lines[first].result)
            first = i;
        const struct arm *a = m->lines[first].first, *b = m->lines[i].first;
        bool workers = a->setting.workers > 0 && b->setting.workers > 0;
        d.affinity |= workers && !same(a->setting.affinity, b->setting.affinity);
        d.backend |= workers && !same(a->setting.backend, b->setting.backend);
        d.prefetch |= workers && a->setting.prefetch_factor != b->setting.prefetch_factor;
        d.reserve |= workers && a->setting.reserve_main != b->setting.reserve_main;
        d.subject |= !same(a->subject, b->subject);
        d.data |= !same(a->workload.data, b->workload.data);
        d.transform |= !same(a->workload.transform, b->workload.transform);
        d.sampler |= !same(a->workload.sampler, b->workload.sampler);
        d.consumer |= !same(a->workload.consumer, b->workload.consumer);
        d.on_error |= !same(a->workload.on_error, b->workload.on_error);
        d.cache |= !same(a->workload.cache, b->workload.cache);
        d.batch |= a->workload.batch_size != b->workload.batch_size;
    }
    return d;
}

/* Base name of the file a result came from, without its ending; "result 2" when there is none. */
static void result_name(const struct plot_model *m, size_t result, struct text *out)
{
    const char *path = m->s[result]->result->path;
    if (!path) {
        text_addf(out, "result %zu", result + 1);
        return;
    }
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    size_t n = strlen(base);
    if (n > 6 && !strcmp(base + n - 6, ".jsonl"))
        n -= 6;
    text_add_bytes(out, base, n);
}

/* The file's name before a label, cut so that what differs behind it can be read. */
static void add_result_name(const struct plot_model *m, size_t result, struct text *t)
{
    struct text name = {0};
    if (m->nresults < 2)
        return;
    result_name(m, result, &name);
    plot__cut(t, text_get(&name), RESULT_COLUMNS);
    text_add(t, ": ");
    t->failed |= name.failed;
    text_fini(&name);
}

static char *line_label(const struct plot_model *m, const struct plot_line *l, const struct differences *d)
{
    struct text t = {0};
    const struct arm *a = l->first;
    add_result_name(m, l->result, &t);
    text_addf(&t, "%d thread%s", a->setting.threads, a->setting.threads == 1 ? "" : "s");
    if (d->affinity)
        add_word(&t, a->setting.affinity);
    if (d->backend)
        add_word(&t, a->setting.backend);
    if (d->prefetch)
        text_addf(&t, ", prefetch %d", a->setting.prefetch_factor);
    if (d->reserve)
        add_word(&t, a->setting.reserve_main ? "main reserved" : "main shares");
    if (d->subject)
        add_word(&t, a->subject);
    if (d->data)
        add_word(&t, a->workload.data);
    if (d->transform)
        add_word(&t, a->workload.transform);
    if (d->sampler)
        add_word(&t, a->workload.sampler);
    if (d->consumer)
        add_word(&t, a->workload.consumer ? a->workload.consumer : "no consumer step");
    if (d->on_error)
        add_word(&t, a->workload.on_error ? a->workload.on_error : "fail on error");
    if (d->cache)
        add_word(&t, a->workload.cache ? a->workload.cache : "cache as is");
    if (d->batch)
        text_addf(&t, ", batches of %lld", (long long)a->workload.batch_size);
    return text_take(&t);
}

static char *arm_label(const struct plot_model *m, const struct plot_arm *a)
{
    struct text t = {0};
    add_result_name(m, a->result, &t);
    text_add(&t, a->arm->name && *a->arm->name ? a->arm->name : "(no name)");
    return text_take(&t);
}

static int give_words(struct plot_model *m)
{
    struct differences d = find_differences(m);
    for (size_t i = 0; i < m->nlines; i++)
        if (!(m->lines[i].label = line_label(m, &m->lines[i], &d)))
            return -ENOMEM;
    for (size_t i = 0; i < m->narms; i++)
        if (!(m->arms[i].label = arm_label(m, &m->arms[i])))
            return -ENOMEM;
    return 0;
}

static void count_evidence(struct plot_model *m)
{
    for (size_t i = 0; i < m->narms; i++) {
        const struct estimate *e = &m->arms[i].sum->cost_ns;
        if (!isfinite(e->value)) {
            m->not_measured++;
            continue;
        }
        if (!m->n_most || e->n < m->n_least)
            m->n_least = e->n;
        if (e->n > m->n_most)
            m->n_most = e->n;
        if (e->ci.known)
            m->level = e->ci.level;
        else
            m->without_interval++;
    }
    for (size_t i = 0; i < m->nresults; i++) {
        m->invocations_void += m->s[i]->invocations_void;
        m->blocks_void += m->s[i]->blocks_void;
    }
}

static void list_arms(struct plot_model *m)
{
    for (size_t r = 0; r < m->nresults; r++) {
        const struct result *result = m->s[r]->result;
        for (size_t a = 0; a < result->narms; a++) {
            const struct arm *arm = &result->arms[a];
            m->arms[m->narms++] = (struct plot_arm){
                .summary = m->s[r],
                .result = r,
                .index = (int)a,
                .arm = arm,
                .sum = &m->s[r]->arms[a],
                .over_budget = result->cpu_budget > 0 && arm->cpus_asked > result->cpu_budget,
                .chosen = m->s[r]->choice.state != CHOICE_NONE && m->s[r]->choice.arm == (int)a,
            };
        }
    }
}

int plot__model_create(const struct summary *const *s, size_t n, struct plot_model **out, struct err *err)
{
    *out = NULL;
    size_t narms = 0;
    for (size_t i = 0; i < n; i++)
        narms += s[i]->result->narms;
    struct plot_model *m = calloc(1, sizeof *m);
    if (!m)
        return err_set(err, -ENOMEM, "out of memory");
    m->s = s;
    m->nresults = n;
    m->arms = calloc(narms + 1, sizeof *m->arms);
    m->lines = calloc(narms + 1, sizeof *m->lines);
    if (!m->arms || !m->lines)
        goto fail;
    list_arms(m);
    find_lines(m);
    give_colours(m);
    count_evidence(m);
    if (give_words(m))
        goto fail;
    *out = m;
    return 0;
fail:
    plot__model_destroy(m);
    return err_set(err, -ENOMEM, "out of memory");
}

void plot__model_destroy(struct plot_model *m)
{
    if (!m)
        return;
    for (size_t i = 0; m->arms && i < m->narms; i++)
        free(m->arms[i].label);
    for (size_t i = 0; m->lines && i < m->nlines; i++)
        free(m->lines[i].label);
    free(m->arms);
    free(m->lines);
    free(m);
}
