/* Names people type: which known one did they mean? */
#ifndef BASE_NAME_H
#define BASE_NAME_H

#include <stddef.h>

/* Index of the name that is closest to `given` (Damerau-Levenshtein distance, optimal string alignment), or
 * -1 when none is near enough to suggest (more than a third of its letters differ). */
int name_nearest(const char *given, const char *const *names, size_t n);

/* Edit distance as above; strings beyond 63 bytes count as 64 apart. */
int name_distance(const char *a, const char *b);

#endif
