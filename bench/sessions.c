/* Reading and summarising result files; see sessions.h. */
#include "sessions.h"

#include <errno.h>
#include <stdlib.h>

#include "export.h"
#include "results/io.h"

static int open_one(struct sessions *s, const char *path, double level, FILE *warnings, struct err *err)
{
    struct result *r = &s->results[s->n];
    int rc = result_read(path, r, err);
    if (rc)
        return rc;
    rc = summary_create(r, level, &s->summaries[s->n], err);
    if (rc) {
        result_fini(r);
        err_prefix(err, "%s", path);
        return rc;
    }
    s->n++;
    if (r->damage)
        export_sayf(warnings, "loaderbench: %s: %s\n", path, r->damage);
    return 0;
}

int sessions_open(struct sessions *s, char *const *paths, size_t n, double level, FILE *warnings,
                  struct err *err)
{
    *s = (struct sessions){.results = calloc(n + 1, sizeof *s->results),
                           .summaries = calloc(n + 1, sizeof(struct summary *))};
    int rc = s->results && s->summaries ? 0 : err_set(err, -ENOMEM, "out of memory");
    for (size_t i = 0; i < n && !rc; i++)
        rc = open_one(s, paths[i], level, warnings, err);
    s->list = (const struct summary *const *)s->summaries;
    if (rc)
        sessions_close(s);
    return rc;
}

void sessions_close(struct sessions *s)
{
    for (size_t i = 0; i < s->n; i++) {
        summary_destroy(s->summaries[i]);
        result_fini(&s->results[i]);
    }
    free(s->results);
    free(s->summaries);
    *s = (struct sessions){0};
}
