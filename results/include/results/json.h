/* Pieces of JSON that result files and the trial protocol share. */
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include <jansson.h>

#include "results/histogram.h"

/* A number, null when it is not finite. New reference. */
json_t *result_json_real(double value);

/* A number; NaN for null, a missing key or another type. */
double result_json_get_real(const json_t *object, const char *key);

/* A string, null for NULL or bytes that are no UTF-8. New reference. */
json_t *result_json_text(const char *s);

/* Copy of a string member; NULL when it is missing or null. The caller's to free. */
char *result_json_get_text(const json_t *object, const char *key);

/* An object member as compact text, NULL when it is no object. The caller's to free. */
char *result_json_get_object(const json_t *object, const char *key);

/* {"max_ns": ..., "buckets": [[bucket, count], ...]}, null for NULL. New reference. */
json_t *result_json_histogram(const struct histogram *h);

/* The histogram of such an object, NULL when it is none. The caller's to free. */
struct histogram *result_json_get_histogram(const json_t *o);

#endif
