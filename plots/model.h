/* What the pictures draw from: the arms of all results in one list, grouped into lines (all that differs in
 * the number of workers only), each with its words and its look. */
#ifndef PLOTS_MODEL_H
#define PLOTS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"
#include "palette.h"
#include "results/summary.h"

struct plot_arm {
    const struct summary *summary;
    size_t result; /* which of the results */
    int index;     /* in its result */
    size_t line;   /* in plot_model.lines */
    const struct arm *arm;
    const struct arm_summary *sum;
    bool over_budget; /* asks for more CPUs than there are */
    bool chosen;
    uint32_t rgb; /* the line's colour, lighter for fewer workers */
    char *label;  /* the arm's name, after the name of its file where there are several. Owned */
};

struct plot_line {
    size_t result;
    const struct arm *first; /* an arm that stands for all */
    struct plot_look look;
    char *label; /* what sets it apart from the other lines: "2 threads, scatter". Owned */
    size_t narms;
};

struct plot_model {
    const struct summary *const *s;
    size_t nresults;
    struct plot_arm *arms; /* line by line, by workers within a line */
    size_t narms;
    struct plot_line *lines;
    size_t nlines;
    double level;            /* of the intervals; 0 when there is none */
    int n_least, n_most;     /* invocations behind the estimates of cost */
    size_t without_interval; /* measured arms that have no interval of cost */
    size_t not_measured;     /* arms without any estimate of cost */
    int invocations_void, blocks_void;
};

/* Errors: -ENOMEM. */
int plot__model_create(const struct summary *const *s, size_t n, struct plot_model **out, struct err *err);
void plot__model_destroy(struct plot_model *m);

/* Arms that have an estimate of cost. */
bool plot__measured(const struct plot_arm *a);

/* "recommended", or "best guess" while the choice is not made. */
const char *plot__chosen_word(const struct plot_arm *a);

#endif
