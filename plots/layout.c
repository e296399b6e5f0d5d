/* Reading cpu.layout of the environment: a word for each CPU, "OS:PACKAGE.NUMA.L3.CORE"; see layout.h. */
#include "layout.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CPUS = 65536 };

const char *const layout_words[LAYOUT_LEVELS] = {"package", "NUMA node", "L3 cache", "core"};

static bool read_word(const char *word, struct layout_cpu *out)
{
    int *at = out->at, n = 0;
    return sscanf(word, "%d:%d.%d.%d.%d%n", &out->os, &at[LAYOUT_PACKAGE], &at[LAYOUT_NUMA], &at[LAYOUT_L3],
                  &at[LAYOUT_CORE], &n) == 5 &&
           (word[n] == '\0' || word[n] == ' ') && out->os >= 0;
}

static void read_words(const char *text, struct layout *out)
{
    size_t most = strlen(text) / 10 + 1; /* "0:0.0.0.0 " */
    out->cpu = calloc(most, sizeof *out->cpu);
    for (const char *word = text; out->cpu && *word && out->n < most && out->n < MOST_CPUS;) {
        if (!read_word(word, &out->cpu[out->n])) {
            out->n = 0;
            return;
        }
        out->n++;
        word += strcspn(word, " ");
        word += strspn(word, " ");
    }
}

static json_t *environment_of(const struct plot_model *m, size_t result)
{
    const char *text = m->s[result]->result->environment;
    return text ? json_loads(text, 0, NULL) : NULL;
}

static const char *text_of(const json_t *environment)
{
    const char *s = json_string_value(json_object_get(json_object_get(environment, "cpu"), "layout"));
    return s ? s : "";
}

struct layout layout_read(const struct plot_model *m)
{
    struct layout out = {0};
    json_t *first = environment_of(m, 0);
    bool agree = true;
    for (size_t i = 1; i < m->nresults; i++) {
        json_t *other = environment_of(m, i);
        agree &= !strcmp(text_of(first), text_of(other));
        json_decref(other);
    }
    if (agree)
        read_words(text_of(first), &out);
    json_decref(first);
    return out;
}

void layout_fini(struct layout *l)
{
    free(l->cpu);
    *l = (struct layout){0};
}

bool layout_begins(const struct layout *l, size_t i, enum layout_level level)
{
    if (i == 0 || i >= l->n)
        return true;
    for (int above = 0; above <= (int)level; above++)
        if (l->cpu[i].at[above] != l->cpu[i - 1].at[above])
            return true;
    return false;
}

bool layout_same_parts(const struct layout *l, enum layout_level level)
{
    for (size_t i = 0; i < l->n; i++)
        if (level && layout_begins(l, i, level) != layout_begins(l, i, level - 1))
            return false;
    return level > 0;
}
