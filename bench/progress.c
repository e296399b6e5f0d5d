/* The progress line, and its twin for tools. */
#include "progress.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "export.h"
#include "results/json.h"

static const uint64_t REDRAW_NS = UINT64_C(100000000);
static const uint64_t SUM_NS =
    UINT64_C(2000000000); /* the best so far is looked for no more often than that */

const char *const progress_words[] = {
    [PROGRESS_AUTO] = "auto", [PROGRESS_JSON] = "json", [PROGRESS_NONE] = "none", NULL};

void progress_init(struct progress *p, FILE *err, enum progress_mode mode, bool quiet,
                   const struct result *result)
{
    *p = (struct progress){.err = err, .mode = mode, .quiet = quiet, .result = result, .best = -1};
    if (quiet || (mode == PROGRESS_AUTO && !isatty(fileno(err))))
        p->mode = PROGRESS_NONE;
}

static size_t terminal_columns(FILE *f)
{
    struct winsize size;
    return !ioctl(fileno(f), TIOCGWINSZ, &size) && size.ws_col > 20 ? size.ws_col : 80;
}

/* Cut to what fits on one line, at a character's border. */
static void cut(char *line, size_t columns)
{
    while (text_columns(line) > columns) {
        size_t n = strlen(line) - 1;
        while (n && ((unsigned char)line[n] & 0xC0) == 0x80)
            n--;
        line[n] = '\0';
    }
}

static void find_best(struct progress *p, uint64_t now)
{
    struct summary *s;
    if (!p->result || (p->summed_ns && now - p->summed_ns < SUM_NS) ||
        summary_create(p->result, 0.95, &s, NULL))
        return;
    p->best = s->choice.best;
    if (p->best >= 0)
        p->cost = s->arms[p->best].cost_ns;
    summary_destroy(s);
    p->summed_ns = now;
}

static void draw_line(struct progress *p, const struct session_progress *s)
{
    char elapsed[UNIT_TEXT], left[UNIT_TEXT], cost[2 * UNIT_TEXT];
    struct text t = {0};
    text_sayf(&t, "%s  invocation %d, look %d of %d at %d  %d arms  ",
              unit_format_ns(elapsed, s->elapsed_ns, 2), s->invocation, s->look, s->looks, s->planned,
              s->in_race);
    if (isfinite(s->eta_ns))
        text_sayf(&t, "at most %s left  ", unit_format_ns(left, s->eta_ns, 2));
    if (p->best >= 0)
        text_sayf(&t, "best so far %s: %s  ", p->result->arms[p->best].name,
                  p->cost.ci.known ? unit_format_ns_interval(cost, p->cost.ci.low, p->cost.ci.high, 3)
                                   : unit_format_ns(cost, p->cost.value, 3));
    text_sayf(&t, "%s %s", !strcmp(s->step, "turn") ? s->block ? "measures" : "warms up" : s->step, s->arm);
    char *line = text_take(&t);
    if (!line)
        return;
    cut(line, terminal_columns(p->err) - 1);
    fprintf(p->err, "\r\033[K%s", line);
    fflush(p->err);
    free(line);
    p->drawn = true;
}

static void write_json(const struct progress *p, const struct session_progress *s)
{
    json_t *best = json_null();
    if (p->best >= 0)
        best = json_pack("{s:o, s:o, s:o, s:o}", "arm", result_json_text(p->result->arms[p->best].name),
                         "cost_ns", result_json_real(p->cost.value), "low_ns",
                         result_json_real(p->cost.ci.low), "high_ns", result_json_real(p->cost.ci.high));
    json_t *o = json_pack(
        "{s:s, s:o, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o, s:o, s:o}", "step", s->step, "arm",
        result_json_text(s->arm), "look", s->look, "looks", s->looks, "invocation", s->invocation, "planned",
        s->planned, "block", s->block, "in_race", s->in_race, "elapsed_ns", result_json_real(s->elapsed_ns),
        "budget_ns", result_json_real(s->budget_ns), "eta_ns", result_json_real(s->eta_ns), "best", best);
    char *text = json_dumps(o, JSON_COMPACT);
    json_decref(o);
    if (text)
        fprintf(p->err, "%s\n", text);
    fflush(p->err);
    free(text);
}

static void wipe(struct progress *p)
{
    if (p->drawn)
        fprintf(p->err, "\r\033[K");
    p->drawn = false;
    fflush(p->err);
}

/* A line for people; in JSON an object with the key. */
static void tell(struct progress *p, const char *key, const char *text)
{
    wipe(p);
    if (p->mode != PROGRESS_JSON) {
        export_sayf(p->err, "loaderbench: %s\n", text);
        return;
    }
    json_t *o = json_pack("{s:o}", key, result_json_text(text));
    char *line = json_dumps(o, JSON_COMPACT);
    fprintf(p->err, "%s\n", line ? line : "{}");
    free(line);
    json_decref(o);
}

void progress_tell_take(struct progress *p, struct text *lines)
{
    char *all = text_take(lines), *rest = all;
    for (char *line; p->verbose && (line = strsep(&rest, "\n"));)
        if (*line)
            tell(p, "note", line);
    free(all);
}

void progress_explain(struct progress *p, const struct result *result, bool race)
{
    p->verbose = true;
    p->narrate = (struct narrate){.result = result, .race = race};
}

static void explain(struct progress *p, const struct session_progress *step)
{
    struct text lines = {0};
    if (!p->verbose)
        return;
    narrate_add(&p->narrate, step, &lines);
    progress_tell_take(p, &lines);
}

void progress_step(void *arg, const struct session_progress *s)
{
    struct progress *p = arg;
    uint64_t now = clock_now_ns();
    explain(p, s);
    if (p->mode == PROGRESS_NONE)
        return;
    if (!strcmp(s->step, "invocation"))
        find_best(p, now);
    if (p->mode == PROGRESS_JSON) {
        write_json(p, s);
        return;
    }
    if (p->drawn && now - p->last_ns < REDRAW_NS)
        return;
    draw_line(p, s);
    p->last_ns = now;
}

void progress_warn(void *arg, const char *text)
{
    struct progress *p = arg;
    wipe(p);
    if (!p->quiet)
        tell(p, "warning", text);
}

void progress_end(struct progress *p)
{
    wipe(p);
    explain(p, NULL);
    narrate_fini(&p->narrate);
    p->verbose = false;
}
