/* What each kind of option knows to do; the table is the one place where kinds differ. */
#ifndef BENCH_OPTION_KIND_H
#define BENCH_OPTION_KIND_H

#include <jansson.h>

#include "bench/option.h"

struct bench__kind {
    size_t size;      /* of the member */
    const char *arg;  /* name of its argument; NULL = takes none */
    const char *unit; /* what its key in a record ends in, "" = nothing */
    bool ranged;      /* min and max count */

    /* Reads text into the member at `at`. what: "--workers". text is NULL for a kind without argument. */
    int (*parse)(const struct bench_option *o, const char *what, const char *text, void *at, struct err *err);
    json_t *(*echo)(const struct bench_option *o, const void *at);
    void (*format)(struct text *out, double limit); /* a limit for a person; NULL = not ranged */
    void (*fini)(void *at);                         /* optional, NULL = owns nothing */
};

const struct bench__kind *bench__option_kind(const struct bench_option *o);

#endif
