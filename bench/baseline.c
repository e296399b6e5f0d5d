/* Finding, reading and naming stored sessions. */
#include "baseline.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/name.h"
#include "export.h"
#include "harness/topology_file.h"
#include "results/fingerprint.h"
#include "results/io.h"
#include "when.h"

const char baseline_folder[] = "loaderbench-baselines";

enum { NAMES_MAX = 256 };

static double first_cost(const struct result *r)
{
    const struct trial *t =
        r->ninvocations && r->invocations[0].ntrials ? &r->invocations[0].trials[0] : NULL;
    return t && t->nturns ? t->turns[0].cost_ns : NAN;
}

/* Whether two files hold the same session: a copy is no second measurement. */
static bool is_copy(const struct result *a, const struct result *b)
{
    return a->started && b->started && !strcmp(a->started, b->started) && a->seed == b->seed &&
           a->ninvocations == b->ninvocations && first_cost(a) == first_cost(b);
}

static int add_session(struct baseline *b, const char *path, FILE *warnings, struct err *err)
{
    struct result *more = realloc(b->session, (b->n + 1) * sizeof *more);
    if (!more)
        return err_set(err, -ENOMEM, "out of memory for '%s'", path);
    b->session = more;
    int rc = result_read(path, &b->session[b->n], err);
    if (rc)
        return rc;
    if (b->session[b->n].damage && warnings)
        export_sayf(warnings, "loaderbench: %s: %s\n", path, b->session[b->n].damage);
    const struct result *last = &b->session[b->n++];
    for (size_t i = 0; i + 1 < b->n; i++)
        if (is_copy(&b->session[i], last))
            return err_set(err, -EINVAL,
                           "'%s' is the session of '%s' again (started %s): a copy is no second one", path,
                           b->session[i].path, last->started);
    return 0;
}

static int is_result(const struct dirent *d)
{
    size_t n = strlen(d->d_name);
    return n > 6 && !strcmp(d->d_name + n - 6, ".jsonl");
}

static int is_name(const struct dirent *d)
{
    return d->d_name[0] != '.';
}

static int add_folder(struct baseline *b, const char *folder, FILE *warnings, struct err *err)
{
    struct dirent **list;
    int n = scandir(folder, &list, is_result, alphasort), rc = 0;
    if (n < 0)
        return err_set_errno(err, -errno, "cannot read the folder '%s'", folder);
    for (int i = 0; i < n; i++) {
        char *path = NULL;
        if (!rc && asprintf(&path, "%s/%s", folder, list[i]->d_name) < 0)
            rc = err_set(err, -ENOMEM, "out of memory for a path");
        rc = rc ? rc : add_session(b, path, warnings, err);
        free(path);
        free(list[i]);
    }
    free(list);
    if (!rc && !b->n)
        rc = err_set(err, -EINVAL, "the folder '%s' holds no result (*.jsonl)", folder);
    return rc;
}

static int unknown(const char *folder, const char *text, struct err *err)
{
    struct dirent **list;
    const char *names[NAMES_MAX];
    int n = scandir(folder, &list, is_name, alphasort), rc;
    for (int i = 0; i < n && i < NAMES_MAX; i++)
        names[i] = list[i]->d_name;
    int near = n > 0 ? name_nearest(text, names, (size_t)(n < NAMES_MAX ? n : NAMES_MAX)) : -1;
    if (near >= 0)
        rc = err_set(err, -ENOENT, "'%s' is neither a result nor a baseline in '%s' (did you mean '%s'?)",
                     text, folder, names[near]);
    else
        rc = err_set(err, -ENOENT,
                     "'%s' is neither a result nor a baseline in '%s' (--save-baseline makes one)", text,
                     folder);
    for (int i = 0; i < n; i++)
        free(list[i]);
    if (n >= 0)
        free(list);
    return rc;
}

int baseline_open(struct baseline *b, const char *folder, const char *text, FILE *warnings, struct err *err)
{
    struct stat st;
    char *path = NULL;
    *b = (struct baseline){.name = strdup(text)};
    int rc = b->name && asprintf(&path, "%s/%s", folder, text) >= 0
                 ? 0
                 : err_set(err, -ENOMEM, "out of memory for a path");
    if (rc)
        path = NULL;
    else if (!stat(text, &st))
        rc = S_ISDIR(st.st_mode) ? add_folder(b, text, warnings, err) : add_session(b, text, warnings, err);
    else if (!stat(path, &st) && S_ISDIR(st.st_mode))
        rc = add_folder(b, path, warnings, err);
    else
        rc = unknown(folder, text, err);
    free(path);
    if (rc)
        baseline_close(b);
    return rc;
}

void baseline_close(struct baseline *b)
{
    for (size_t i = 0; i < b->n; i++)
        result_fini(&b->session[i]);
    free(b->session);
    free(b->name);
    *b = (struct baseline){0};
}

struct compare_side baseline_side(const struct baseline *b)
{
    return (struct compare_side){.session = b->session, .n = b->n};
}

static int make_folder(const char *path, struct err *err)
{
    return mkdir(path, 0777) && errno != EEXIST
               ? err_set_errno(err, -errno, "cannot make the folder '%s'", path)
               : 0;
}

int baseline_new_path(const char *folder, const char *name, char **out, struct err *err)
{
    *out = NULL;
    if (!*name || *name == '.' || strchr(name, '/'))
        return err_set(err, -EINVAL, "'%s' is no name for a baseline: no '/', and no '.' in front", name);
    char *path = NULL;
    int rc = make_folder(folder, err);
    if (!rc && asprintf(&path, "%s/%s", folder, name) < 0)
        return err_set(err, -ENOMEM, "out of memory for a path");
    rc = rc ? rc : make_folder(path, err);
    rc = rc ? rc : when_new_path(path, out, err);
    free(path);
    return rc;
}

/* The topologies themselves, when their hashes differ. A file that is not there, or no longer what it was, is said. */
static void add_topologies(struct text *out, const struct baseline_machine *a,
                           const struct baseline_machine *b, const struct fingerprint_difference *hashes)
{
    char *x = NULL, *y = NULL;
    struct err why = {0};
    if (!a->path || !b->path)
        return;
    text_add(out, "  the topologies:\n");
    int rc = harness_topology_path(a->path, hashes->a, &x, &why);
    rc = rc ? rc : harness_topology_path(b->path, hashes->b, &y, &why);
    rc = rc ? rc : harness_topology_differences(x, y, out, &why);
    if (rc)
        text_sayf(out, "    what differs in it cannot be said: %s\n", why.text);
    free(x);
    free(y);
}

struct baseline_machine baseline_machine_of(const char *name, const struct result *r)
{
    return (struct baseline_machine){name ? name : r->path, r->environment, r->path};
}

int baseline_same_machine(const struct baseline_machine *a, const struct baseline_machine *b,
                          struct text *differences, struct err *err)
{
    struct fingerprint_differences d;
    int rc = result_fingerprint_compare(a->environment, b->environment, &d, err);
    if (rc)
        return rc;
    if (d.n) {
        text_sayf(differences, "%s and %s were measured in environments that differ%s:\n", a->name, b->name,
                  d.ndecide ? "" : " in what does not decide costs");
        result_fingerprint_differences_text(&d, differences);
    }
    for (size_t i = 0; i < d.n; i++)
        if (!strcmp(d.item[i].path, "cpu.topology_hash"))
            add_topologies(differences, a, b, &d.item[i]);
    int same = !d.ndecide;
    result_fingerprint_differences_fini(&d);
    return same;
}
