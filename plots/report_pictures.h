/* The pictures of a report, drawn into a folder. */
#ifndef PLOTS_REPORT_PICTURES_H
#define PLOTS_REPORT_PICTURES_H

#include "report_parts.h"

struct report_pictures {
    const struct plot **kinds; /* [n], borrowed entries */
    bool *drawn;               /* [n] */
    const char **missing;      /* [n] why it was not even tried, or NULL; constants */
    size_t n;
    char *dir;      /* where the files are. Owned */
    bool scratch;   /* dir and all in it are removed by _fini */
    struct err err; /* why some or all could not be drawn */
};

/* Draws all kinds. folder = NULL: into a new folder inside opt->scratch. What goes wrong while drawing is in
 * out->err and no error of the call. Errors: -ENOMEM. */
int report_pictures_init(const struct summary *const *s, size_t n, const struct report_options *opt,
                         const char *folder, unsigned formats, struct report_pictures *out, struct err *err);
void report_pictures_fini(struct report_pictures *p);

/* Content of a picture's file, empty when it cannot be read. */
void report_pictures_read(const struct report_pictures *p, size_t i, const char *ending, struct text *out);

#endif
