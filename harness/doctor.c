/* The doctor: runs its checks one after the other, sorts what they found. */
#include "doctor.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/name.h"
#include "doctors.h"
#include "harness/affinity.h"
#include "results/json.h"

#define DECLARE(word) extern const struct doctor_check doctor_check_##word;
HARNESS_DOCTORS(DECLARE)
#define ENTRY(word) &doctor_check_##word,
static const struct doctor_check *const checks[] = {HARNESS_DOCTORS(ENTRY)};

enum { CHECKS = sizeof checks / sizeof *checks };

/* ---- what checks call ---- */

void doctor_find(struct doctor *d, enum doctor_level level, const char *advice, const char *fmt, ...)
{
    char text[DOCTOR_TEXT];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct doctor_report *r = d->report;
    struct doctor_finding *more = realloc(r->item, (r->n + 1) * sizeof *more);
    if (!more) {
        d->no_memory = true;
        return;
    }
    r->item = more;
    r->item[r->n] = (struct doctor_finding){
        .level = level, .check = d->check, .text = strdup(text), .advice = advice ? strdup(advice) : NULL};
    d->no_memory = d->no_memory || !r->item[r->n].text;
    r->n++;
}

void doctor_figure(struct doctor *d, const char *name, json_t *value)
{
    json_t *own = json_object_get(d->report->measured, d->check);
    if (!own) {
        own = json_object();
        json_object_set_new(d->report->measured, d->check, own);
    }
    if (json_object_set_new(own, name, value))
        d->no_memory = true;
}

bool doctor_file(const struct doctor *d, const char *path, char *buf, size_t size)
{
    char whole[1024];
    snprintf(whole, sizeof whole, "%s%s", d->cfg->root, path);
    buf[0] = '\0';
    FILE *f = fopen(whole, "re");
    if (!f)
        return false;
    size_t n = fread(buf, 1, size - 1, f);
    fclose(f);
    buf[n] = '\0';
    if (n && buf[n - 1] == '\n')
        buf[n - 1] = '\0';
    return n > 0;
}

bool doctor_number(const struct doctor *d, const char *path, long *out)
{
    char text[64], *end;
    if (!doctor_file(d, path, text, sizeof text))
        return false;
    *out = strtol(text, &end, 10);
    return end != text;
}

bool doctor_cpu_flag(const struct doctor *d, const char *word)
{
    char text[16384];
    if (!doctor_file(d, "/proc/cpuinfo", text, sizeof text))
        return false;
    const char *line = strstr(text, "\nflags");
    if (!line)
        line = strstr(text, "\nFeatures"); /* aarch64 */
    if (!line)
        return false;
    const char *end = strchr(line + 1, '\n');
    size_t n = strlen(word);
    for (const char *p = line; (p = strstr(p, word)) && (!end || p < end); p += n)
        if (p[-1] == ' ' && (p[n] == ' ' || p[n] == '\n' || p[n] == '\0'))
            return true;
    return false;
}

bool doctor_cpu_time(const struct doctor *d, struct doctor_cpu_time *out)
{
    char text[512];
    double user, nice, system, idle, io, irq, soft, steal = 0;
    if (!doctor_file(d, "/proc/stat", text, sizeof text) ||
        sscanf(text, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle, &io, &irq, &soft,
               &steal) < 7)
        return false;
    double tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    out->busy_ns = (user + nice + system + irq + soft) * tick_ns;
    out->steal_ns = steal * tick_ns;
    return true;
}

bool doctor_bind(const struct doctor *d, int position)
{
    char list[16];
    snprintf(list, sizeof list, "%d", d->topology.cpu[position].os);
    return harness_affinity_bind_thread(list, NULL) == 0;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double doctor_median(double *x, int n)
{
    if (n < 1)
        return NAN;
    qsort(x, (size_t)n, sizeof *x, by_value);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

int doctor_counts(const struct doctor *d, int out[32])
{
    int n = 0;
    for (int k = 1; k < d->topology.ncpus && n < 31; k *= 2)
        out[n++] = k;
    out[n++] = d->topology.ncpus;
    return n;
}

/* ---- the whole ---- */

static bool is_known(const char *name, struct err *err)
{
    const char *names[CHECKS];
    for (size_t i = 0; i < CHECKS; i++) {
        names[i] = checks[i]->name;
        if (!strcmp(names[i], name))
            return true;
    }
    int near = name_nearest(name, names, CHECKS);
    err_set(err, -EINVAL, "the doctor has no check '%s'%s%s%s", name, near < 0 ? "" : " (did you mean '",
            near < 0 ? "" : names[near], near < 0 ? "" : "'?)");
    return false;
}

/* Worst first; equals stay in the order of the list. */
static void sort_findings(struct doctor_report *r)
{
    for (size_t i = 1; i < r->n; i++)
        for (size_t j = i; j && r->item[j].level > r->item[j - 1].level; j--) {
            struct doctor_finding swap = r->item[j];
            r->item[j] = r->item[j - 1];
            r->item[j - 1] = swap;
        }
}

static int run_checks(struct doctor *d, struct err *err)
{
    const struct doctor_config *cfg = d->cfg;
    for (size_t i = 0; i < CHECKS; i++) {
        if (cfg->only && strcmp(cfg->only, checks[i]->name))
            continue;
        if (cfg->stop && *cfg->stop)
            return err_set(err, -EINTR, "interrupted");
        d->check = checks[i]->name;
        if (cfg->step)
            cfg->step(cfg->arg, d->check);
        checks[i]->look(d);
    }
    return d->no_memory ? err_set(err, -ENOMEM, "out of memory for what was found") : 0;
}

int harness_doctor(const struct doctor_config *cfg, struct doctor_report *out, struct err *err)
{
    *out = (struct doctor_report){0};
    if (cfg->only && !is_known(cfg->only, err))
        return -EINVAL;
    uint64_t from = clock_now_ns();
    struct doctor d = {.cfg = cfg, .report = out};
    out->measured = json_object();
    int rc = out->measured ? 0 : err_set(err, -ENOMEM, "out of memory for what was found");
    rc = rc ? rc : harness_topology_load(&d.topology, err);
    if (!rc) {
        harness_budget_read(cfg->root, 0, &d.budget);
        rc = run_checks(&d, err);
        harness_topology_fini(&d.topology);
    }
    sort_findings(out);
    out->took_ns = (double)(clock_now_ns() - from);
    if (rc)
        harness_doctor_fini(out);
    return rc;
}

void harness_doctor_fini(struct doctor_report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        free(r->item[i].text);
        free(r->item[i].advice);
    }
    free(r->item);
    json_decref(r->measured);
    *r = (struct doctor_report){0};
}

const char *harness_doctor_level(enum doctor_level level)
{
    static const char *const words[] = {
        [DOCTOR_FINE] = "fine", [DOCTOR_NOTE] = "note", [DOCTOR_COSTS] = "costs", [DOCTOR_BAD] = "bad"};
    return words[level];
}

json_t *harness_doctor_json(const struct doctor_report *r)
{
    json_t *list = json_array();
    for (size_t i = 0; i < r->n; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o}", "level",
                                              harness_doctor_level(r->item[i].level), "check",
                                              r->item[i].check, "text", result_json_text(r->item[i].text),
                                              "advice", result_json_text(r->item[i].advice)));
    return json_pack("{s:o, s:O, s:o}", "findings", list, "measured", r->measured, "took_ns",
                     result_json_real(r->took_ns));
}

struct doctor_about harness_doctor_about(size_t i)
{
    if (i >= CHECKS)
        return (struct doctor_about){0};
    return (struct doctor_about){checks[i]->name, checks[i]->summary};
}
