/* Pieces of JSON that result files and the trial protocol share. */
#ifndef RESULTS_JSON_H
#define RESULTS_JSON_H

#include <jansson.h>

#include "base/err.h"
#include "results/histogram.h"
#include "results/record.h"

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

/* What is loaded, and under which setting, as objects. New references. */
json_t *result_json_workload(const struct workload *w);
json_t *result_json_setting(const struct setting *s);

/* A list of counters with their parts. New reference. */
json_t *result_json_counters(const struct trial *t);

/* The list into a trial without counters. Errors: -ENOMEM; -EINVAL one has no name: it is left out. */
int result_json_get_counters(const json_t *list, struct trial *out);

/* {"max_ns": ..., "buckets": [[bucket, count], ...]}, null for NULL. New reference. */
json_t *result_json_histogram(const struct histogram *h);

/* The histogram of such an object, NULL when it is none. The caller's to free. */
struct histogram *result_json_get_histogram(const json_t *o);

/* [[number, worker, started, finished, received, wait], ...] of batches, times in whole ns. New reference. */
json_t *result_json_timeline(const struct batch_times *b, size_t n);

/* The batches of such an array, without those that no clock could have told; none where there is no array.
 * Owner: *out, the caller's to free; NULL when there are none. Errors: -ENOMEM. */
int result_json_get_timeline(const json_t *list, struct batch_times **out, size_t *n, struct err *err);

#endif
