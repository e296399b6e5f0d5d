/* The page cache: a first epoch from disk and a tenth from memory are two measurements. */
#ifndef DATASETS_CACHE_H
#define DATASETS_CACHE_H

#include "datasets/source.h"

enum data_cache {
    DATA_CACHE_AS_IS, /* looks, changes nothing */
    DATA_CACHE_WARM,  /* reads all files once */
    DATA_CACHE_COLD,  /* writes dirty pages out and drops the files from the cache */
};

/* "as-is", "warm", "cold"; ends with NULL. */
extern const char *const data_cache_names[];

/* What is so afterwards. */
struct data_cache_report {
    int64_t files, bytes;
    int64_t resident_bytes; /* of these in memory */
    bool held;              /* as asked: warm all of them, cold none; as-is always */
    char reason[160];       /* why not; "" when held */
};

/* Brings the files of the source into the state. A source without files holds whatever is asked.
 * Errors: those of opening and reading the files, with the path. That a state could not be reached is no error: it is in
 * the report. */
int data_cache_apply(const struct data_source *s, enum data_cache want, struct data_cache_report *out,
                     struct err *err);

#endif
