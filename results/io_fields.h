/* The numbers of a record and their names on disk: one table that both the writer and the reader walk. */
#ifndef RESULTS_IO_FIELDS_H
#define RESULTS_IO_FIELDS_H

#include <jansson.h>
#include <stddef.h>

#include "results/record.h"

/* A double (NaN = null on disk) at an offset. */
struct io_field {
    const char *name;
    size_t offset;
};

extern const struct io_field io_turn_fields[];
extern const size_t io_turn_nfields;
extern const struct io_field io_trial_fields[];
extern const size_t io_trial_nfields;
extern const struct io_field io_invocation_fields[];
extern const size_t io_invocation_nfields;
extern const struct io_field io_pilot_fields[];
extern const size_t io_pilot_nfields;

void io_put_fields(json_t *object, const void *base, const struct io_field *fields, size_t n);
void io_get_fields(const json_t *object, void *base, const struct io_field *fields, size_t n);

#endif
