/* The progress line. */
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/unit.h"

static const uint64_t REDRAW_NS = UINT64_C(100000000);

void progress_init(struct progress *p, FILE *err, bool quiet)
{
    *p = (struct progress){.err = err, .quiet = quiet, .redraws = !quiet && isatty(fileno(err))};
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

void progress_step(void *arg, const struct session_progress *s)
{
    struct progress *p = arg;
    uint64_t now = clock_now_ns();
    if (!p->redraws || (p->drawn && now - p->last_ns < REDRAW_NS))
        return;
    char elapsed[UNIT_TEXT], left[UNIT_TEXT];
    struct text t = {0};
    text_addf(&t, "%s  invocation %d, look %d of %d at %d  %d arms  ",
              unit_format_ns(elapsed, s->elapsed_ns, 2), s->invocation, s->look, s->looks, s->planned,
              s->in_race);
    if (isfinite(s->eta_ns))
        text_addf(&t, "at most %s left  ", unit_format_ns(left, s->eta_ns, 2));
    text_addf(&t, "%s %s", !strcmp(s->step, "turn") ? s->block ? "measures" : "warms up" : s->step, s->arm);
    char *line = text_take(&t);
    if (!line)
        return;
    cut(line, terminal_columns(p->err) - 1);
    fprintf(p->err, "\r\033[K%s", line);
    fflush(p->err);
    free(line);
    p->last_ns = now;
    p->drawn = true;
}

void progress_warn(void *arg, const char *text)
{
    struct progress *p = arg;
    progress_end(p);
    if (!p->quiet)
        fprintf(p->err, "loaderbench: %s\n", text);
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fprintf(p->err, "\r\033[K");
    p->drawn = false;
    fflush(p->err);
}
