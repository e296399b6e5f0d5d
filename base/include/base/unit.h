/* Units while reading and printing. Inside the program quantities are stored in base units (ns, bytes, 1/s).
 */
#ifndef BASE_UNIT_H
#define BASE_UNIT_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Each parser takes the whole of `text` or fails with -EINVAL (not such a quantity) or -ERANGE (outside
 * min..max); the text of the error names the value and the limit. `what` names the thing in that text
 * ("--workers"). */
int unit_parse_int(const char *what, const char *text, int64_t min, int64_t max, int64_t *out,
                   struct err *err);
int unit_parse_real(const char *what, const char *text, double min, double max, double *out, struct err *err);

/* "500us", "20ms", "60s", "2m" or "2min", "1h", "1d"; a bare number is seconds. min and max in ns. */
int unit_parse_ns(const char *what, const char *text, double min, double max, double *out, struct err *err);

/* "5%" or "0.05". min and max as fractions. */
int unit_parse_ratio(const char *what, const char *text, double min, double max, double *out,
                     struct err *err);

/* "4096", "64KiB", "1MiB", "2GiB", "TiB", "PiB" (powers of 1024), "64kB", "1MB", "2GB", "TB", "PB" (powers of 1000). */
int unit_parse_bytes(const char *what, const char *text, int64_t min, int64_t max, int64_t *out,
                     struct err *err);

enum { UNIT_TEXT = 32 }; /* size of the buffers below */

/* All return buf. NaN and infinity print as "-". `digits` are significant digits (1 to 6). */
char *unit_format_ns(char buf[UNIT_TEXT], double ns, int digits);       /* "13.3 ms" */
char *unit_format_ns_short(char buf[UNIT_TEXT], double ns);             /* "1.5 s", "30 d": no zeros behind */
char *unit_format_rate(char buf[UNIT_TEXT], double per_s, int digits);  /* "75.2 /s", "1.31 M/s" */
char *unit_format_bytes(char buf[UNIT_TEXT], double bytes, int digits); /* "2.25 MiB" */
char *unit_format_bytes_short(char buf[UNIT_TEXT], double bytes);       /* "1.5 KiB", "1 PiB" */
char *unit_format_real(char buf[UNIT_TEXT], double value,
                       int digits); /* "0.591", never an exponent below 1e6 */

/* The step a value is shown in: "13.3" against a low and a high bound in the same unit as the value, so that
 * an interval reads "13.1 .. 13.5 ms". Writes "low .. high unit". */
char *unit_format_ns_interval(char buf[2 * UNIT_TEXT], double low, double high, int digits);

#endif
