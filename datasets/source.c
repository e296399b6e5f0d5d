/* Opening a spec, handing out samples, leaving out broken ones. */
#include "datasets/source.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/name.h"
#include "files.h"

/* format_list.inc is made from the list in CMakeLists.txt: FORMAT(synthetic) FORMAT(npy) ... */
#define FORMAT(word) extern const struct data_format data_##word;
#include "format_list.inc"
#undef FORMAT

#define FORMAT(word) &data_##word,
const struct data_format *const data__formats[] = {
#include "format_list.inc"
};
#undef FORMAT

#define FORMATS_N ((int)(sizeof data__formats / sizeof *data__formats))
const int data__formats_n = FORMATS_N;

struct data_reader {
    struct data_source *source;
    void *self;
};

int data_format_count(void)
{
    return FORMATS_N;
}

struct data_format_help data_format_at(int i)
{
    assert(i >= 0 && i < FORMATS_N);
    const struct data_format *f = data__formats[i];
    return (struct data_format_help){f->name, f->usage, f->help};
}

/* Cuts "name:args" in two. */
static int find_format(struct data_source *s, char **args, struct err *err)
{
    char *colon = strchr(s->spec, ':');
    *args = colon ? colon + 1 : s->spec + strlen(s->spec);
    if (colon)
        *colon = '\0';
    const char *names[FORMATS_N];
    for (int i = 0; i < FORMATS_N; i++) {
        names[i] = data__formats[i]->name;
        if (!strcmp(names[i], s->spec)) {
            s->format = data__formats[i];
            return 0;
        }
    }
    int near = name_nearest(s->spec, names, FORMATS_N);
    if (near >= 0)
        return err_set(err, -EINVAL, "unknown dataset '%s': did you mean '%s'?", s->spec,
                       data__formats[near]->usage);
    return err_set(err, -EINVAL, "unknown dataset '%s': `loaderbench list` shows all", s->spec);
}

/* Takes "decode" off the front of the transform and looks at a resize behind it. */
static int take_decode(struct data_source *s, struct err *err)
{
    static const char word[] = "decode";
    char *t = s->transform;
    size_t n = strlen(word);
    s->decode = !strncmp(t, word, n) && (t[n] == '\0' || t[n] == ',');
    s->info.transform = t;
    if (!s->decode)
        return 0;
    if (!s->format->decodes)
        return err_set(err, -EINVAL, "decode: %s data are arrays already", s->format->name);
    s->info.transform = t + n + (t[n] == ',');
    long long h = 0, w = 0;
    int got = sscanf(s->info.transform, "resize=%9lldx%9lld", &h, &w);
    if (got >= 1 && h > 0) {
        s->resize[0] = h;
        s->resize[1] = got == 2 && w > 0 ? w : h;
    }
    return 0;
}

static int open_parts(struct data_source *s, const struct data_config *cfg, struct err *err)
{
    s->spec = strdup(cfg->spec);
    s->transform = strdup(cfg->transform ? cfg->transform : "");
    void *shared = mmap(NULL, sizeof *s->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    s->shared = shared == MAP_FAILED ? NULL : shared;
    if (!s->spec || !s->transform || !s->shared)
        return err_set(err, -ENOMEM, "no memory for dataset '%s'", cfg->spec);
    char *args;
    int rc = find_format(s, &args, err);
    if (!rc)
        rc = take_decode(s, err);
    if (rc)
        return rc;
    s->info.format = s->format->name;
    s->default_shape = cfg->default_shape;
    rc = s->format->open(s, args, err);
    s->default_shape = NULL;
    return rc;
}

int data_source_open(const struct data_config *cfg, struct data_source **out, struct err *err)
{
    *out = NULL;
    struct data_source *s = calloc(1, sizeof *s);
    if (!s)
        return err_set(err, -ENOMEM, "no memory for dataset '%s'", cfg->spec);
    s->seed = cfg->seed;
    s->on_error = cfg->on_error;
    s->describe_only = cfg->describe_only;
    int rc = open_parts(s, cfg, err);
    if (rc) {
        data_source_close(s);
        return rc;
    }
    *out = s;
    return 0;
}

void data_source_close(struct data_source *s)
{
    if (!s)
        return;
    if (s->format && s->format->close)
        s->format->close(s);
    for (int64_t i = 0; i < s->paths; i++)
        free(s->path[i]);
    free(s->path);
    if (s->shared)
        munmap(s->shared, sizeof *s->shared);
    free(s->spec);
    free(s->transform);
    free(s);
}

const struct data_info *data_source_info(const struct data_source *s)
{
    return &s->info;
}

int64_t data_source_skipped(const struct data_source *s, char *first, size_t first_bytes)
{
    int64_t n = atomic_load(&s->shared->skipped);
    if (first && first_bytes)
        snprintf(first, first_bytes, "%s", n ? s->shared->first : "");
    return n;
}

/* The text is written before the count, so that who sees a count sees a text. */
static void note_skipped(struct data_source *s, const struct err *why)
{
    if (!atomic_exchange(&s->shared->first_taken, 1))
        snprintf(s->shared->first, sizeof s->shared->first, "%s", why->text);
    atomic_fetch_add(&s->shared->skipped, 1);
}

int data_reader_open(struct data_source *s, int worker, int workers, struct data_reader **out,
                     struct err *err)
{
    *out = NULL;
    struct data_reader *r = calloc(1, sizeof *r);
    if (!r)
        return err_set(err, -ENOMEM, "no memory for a reader");
    r->source = s;
    data__map_arm(); /* a worker is a process of its own */
    int rc = s->format->reader_open ? s->format->reader_open(s, worker, workers, &r->self, err) : 0;
    if (rc) {
        free(r);
        return rc;
    }
    *out = r;
    return 0;
}

void data_reader_close(struct data_reader *r)
{
    if (!r)
        return;
    if (r->self)
        r->source->format->reader_close(r->self);
    free(r);
}

static int get_or_skip(struct data_reader *r, int64_t index, struct tensor *view, struct err *err)
{
    struct data_source *s = r->source;
    struct err why = {0};
    for (int64_t tried = 0; tried < s->info.samples; tried++) {
        why = (struct err){0};
        int rc = s->format->get(s, r->self, (index + tried) % s->info.samples, view, &why);
        if (!rc || rc == -ENOMEM)
            return rc ? err_set(err, rc, "%s", why.text) : 0;
        note_skipped(s, &why);
    }
    return err_set(err, -EBADMSG, "none of the %" PRId64 " samples can be read: %s", s->info.samples,
                   why.text);
}

int data_reader_get(struct data_reader *r, int64_t index, struct tensor *view, struct err *err)
{
    const struct data_source *s = r->source;
    assert(s->format->get);
    if (index < 0 || index >= s->info.samples)
        return err_set(err, -ERANGE, "sample %" PRId64 " is outside 0 to %" PRId64, index,
                       s->info.samples - 1);
    if (s->on_error == DATA_ON_ERROR_SKIP)
        return get_or_skip(r, index, view, err);
    return s->format->get(s, r->self, index, view, err);
}

int data_reader_whole(struct data_reader *r, struct err *err)
{
    const struct data_format *f = r->source->format;
    return f->whole ? f->whole(r->source, r->self, err) : 0;
}

int data_reader_next(struct data_reader *r, struct tensor *view, struct err *err)
{
    struct data_source *s = r->source;
    assert(s->format->next);
    for (;;) {
        struct err why = {0};
        int rc = s->format->next(s, r->self, view, &why);
        if (rc >= 0)
            return rc;
        if (s->on_error == DATA_ON_ERROR_FAIL || rc == -ENOMEM)
            return err_set(err, rc, "%s", why.text);
        note_skipped(s, &why);
    }
}
