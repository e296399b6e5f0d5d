/* How the CPUs of a machine lie to one another, as the record's environment tells. */
#ifndef PLOTS_LAYOUT_H
#define PLOTS_LAYOUT_H

#include "model.h"

enum layout_level { LAYOUT_PACKAGE, LAYOUT_NUMA, LAYOUT_L3, LAYOUT_CORE, LAYOUT_LEVELS };

extern const char *const layout_words[LAYOUT_LEVELS];

struct layout_cpu {
    int os;                /* the operating system's number */
    int at[LAYOUT_LEVELS]; /* which package, NUMA node, L3 cache, core */
};

/* CPUs with neighbours side by side. */
struct layout {
    struct layout_cpu *cpu; /* owned */
    size_t n;
};

/* n = 0 when the results do not tell, or do not agree. Owner: layout_fini. */
struct layout layout_read(const struct plot_model *m);
void layout_fini(struct layout *l);

/* Whether column i begins another part of that level than the column before it. */
bool layout_begins(const struct layout *l, size_t i, enum layout_level level);

/* Whether a level parts the CPUs just as the one above it does. */
bool layout_same_parts(const struct layout *l, enum layout_level level);

#endif
