/* Environment variables that override threads and placement: not only which are set, but which had an effect. Each is
 * left out of the environment of a child, and what that child finds is compared with what one finds as it is. */
#include "variables.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor.h"
#include "harness/affinity.h"
#include "harness/probe.h"

extern const struct doctor_check doctor_check_variables;

enum { SIZE = 128, EFFECT = 300, SPIN_RATIO = 3 };

static int probe(const struct doctor *d, const char *without, struct probe *out, struct err *err)
{
    const char *const unset[] = {without, NULL};
    struct probe_request request = {.unset = without ? unset : NULL,
                                    .threads = d->budget.cpus > 1 ? d->budget.cpus : 2,
                                    .size = SIZE,
                                    .work_ns = 1e6};
    return harness_probe(d->cfg->program, &request, out, err);
}

static void add(char *text, const char *what, const char *with, const char *without)
{
    size_t n = strlen(text);
    snprintf(text + n, EFFECT - n, "%s%s %s instead of %s", n ? ", " : "", what, with, without);
}

/* How long a pool spins scatters with what else runs: it is only looked at for variables that say so. */
static bool is_about_spinning(const char *name)
{
    return strstr(name, "TIMEOUT") || strstr(name, "WAIT_POLICY") || strstr(name, "SPINCOUNT");
}

/* What the variable changed, "" = nothing that can be seen. */
static void effect_of(const char *name, const struct probe *with, const struct probe *without,
                      char text[EFFECT])
{
    char a[32], b[32];
    text[0] = '\0';
    if (strcmp(with->core, without->core))
        add(text, "kernels", with->core, without->core);
    if (with->threads_at_load != without->threads_at_load) {
        snprintf(a, sizeof a, "%d", with->threads_at_load);
        snprintf(b, sizeof b, "%d", without->threads_at_load);
        add(text, "threads of the BLAS once loaded", a, b);
    }
    if (!harness_affinity_equal(with->allowed, without->allowed))
        add(text, "CPUs the process may use once the BLAS is loaded", with->allowed, without->allowed);
    if (is_about_spinning(name) && fmax(with->spin_ns, without->spin_ns) >
                                       SPIN_RATIO * fmax(5e6, fmin(with->spin_ns, without->spin_ns))) {
        snprintf(a, sizeof a, "%.0f ms", with->spin_ns / 1e6);
        snprintf(b, sizeof b, "%.0f ms", without->spin_ns / 1e6);
        add(text, "the pool spins", a, b);
    }
}

static void tell(struct doctor *d, const char *name, const struct probe *with)
{
    const char *value = getenv(name);
    struct probe without;
    struct err why = {0};
    char effect[EFFECT];
    if (probe(d, name, &without, &why)) {
        doctor_find(d, DOCTOR_NOTE, NULL, "%s=%s is set; its effect could not be seen: %s", name, value,
                    why.text);
        return;
    }
    effect_of(name, with, &without, effect);
    bool moves = !harness_affinity_equal(with->allowed, without.allowed);
    doctor_figure(d, name, json_pack("{s:s, s:s}", "value", value, "effect", effect));
    if (*effect)
        doctor_find(d, moves ? DOCTOR_BAD : DOCTOR_NOTE,
                    moves ? "unset it: every worker inherits that set of CPUs" : NULL,
                    "%s=%s has an effect: %s", name, value, effect);
    else
        doctor_find(d, DOCTOR_NOTE, NULL, "%s=%s is set and changes nothing with this BLAS", name, value);
    harness_probe_fini(&without);
}

static void look(struct doctor *d)
{
    char all[1024];
    struct probe with;
    struct err why = {0};
    if (!harness_variables_text(all, sizeof all)) {
        doctor_find(d, DOCTOR_FINE, NULL, "no environment variable overrides threads or placement");
        return;
    }
    if (!d->cfg->program || probe(d, NULL, &with, &why)) {
        doctor_find(d, DOCTOR_NOTE, NULL, "set, with effects that could not be seen (%s): %s",
                    why.code ? why.text : "no program to start", all);
        return;
    }
    for (const char *const *v = harness_variables; *v; v++)
        if (getenv(*v))
            tell(d, *v, &with);
    harness_probe_fini(&with);
}

const struct doctor_check doctor_check_variables = {
    .name = "variables",
    .summary = "environment variables that override threads and placement, and what they changed",
    .look = look,
};
