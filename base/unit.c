/* Parsing and printing of quantities; the tables below are the whole list of suffixes. */
#include "base/unit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIB 1099511627776.0

struct suffix {
    const char *name;
    double scale;
};

static const struct suffix times[] = {{"ns", 1},     {"us", 1e3},   {"ms", 1e6},    {"s", 1e9}, {"m", 60e9},
                                      {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9}};
static const struct suffix ratios[] = {{"%", 0.01}, {"", 1}};
static const struct suffix sizes[] = {
    {"B", 1},      {"kB", 1e3},        {"MB", 1e6},           {"GB", 1e9},  {"TB", 1e12},        {"PB", 1e15},
    {"KiB", 1024}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", TIB}, {"PiB", 1024 * TIB}, {"", 1}};

static double find_suffix(const struct suffix *table, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(table[i].name, text))
            return table[i].scale;
    return NAN;
}

int unit_parse_int(const char *what, const char *text, int64_t min, int64_t max, int64_t *out,
                   struct err *err)
{
    *out = 0;
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || text[0] == ' ')
        return err_set(err, -EINVAL, "%s: '%s' is not a whole number", what, text);
    if (errno == ERANGE || value < min || value > max)
        return err_set(err, -ERANGE, "%s: %s is outside %" PRId64 " to %" PRId64, what, text, min, max);
    *out = value;
    return 0;
}

/* A finite number followed by one of the suffixes. */
static int parse_scaled(const char *what, const char *text, const struct suffix *table, size_t n, double *out,
                        struct err *err, const char *kind)
{
    *out = 0;
    char *end;
    double value = strtod(text, &end);
    double scale = find_suffix(table, n, end);
    if (end == text || isnan(scale) || !isfinite(value) || text[0] == ' ')
        return err_set(err, -EINVAL, "%s: '%s' is not %s", what, text, kind);
    *out = value * scale;
    return 0;
}

int unit_parse_real(const char *what, const char *text, double min, double max, double *out, struct err *err)
{
    static const struct suffix none[] = {{"", 1}};
    int rc = parse_scaled(what, text, none, 1, out, err, "a number");
    if (!rc && (*out < min || *out > max))
        return err_set(err, -ERANGE, "%s: %s is outside %g to %g", what, text, min, max);
    return rc;
}

int unit_parse_ns(const char *what, const char *text, double min, double max, double *out, struct err *err)
{
    int rc = parse_scaled(what, text, times, sizeof times / sizeof *times, out, err,
                          "a duration (such as 500ms, 60s, 2m)");
    char low[UNIT_TEXT], high[UNIT_TEXT];
    if (!rc && (*out < min || *out > max))
        return err_set(err, -ERANGE, "%s: %s is outside %s to %s", what, text, unit_format_ns_short(low, min),
                       unit_format_ns_short(high, max));
    return rc;
}

int unit_parse_ratio(const char *what, const char *text, double min, double max, double *out, struct err *err)
{
    int rc = parse_scaled(what, text, ratios, sizeof ratios / sizeof *ratios, out, err,
                          "a ratio (such as 5% or 0.05)");
    if (!rc && (*out < min || *out > max))
        return err_set(err, -ERANGE, "%s: %s is outside %g%% to %g%%", what, text, min * 100, max * 100);
    return rc;
}

int unit_parse_bytes(const char *what, const char *text, int64_t min, int64_t max, int64_t *out,
                     struct err *err)
{
    *out = 0;
    double value;
    char low[UNIT_TEXT], high[UNIT_TEXT];
    int rc = parse_scaled(what, text, sizes, sizeof sizes / sizeof *sizes, &value, err,
                          "a size (such as 4096, 64KiB, 2GB)");
    if (rc)
        return rc;
    if (value < (double)min || value > (double)max)
        return err_set(err, -ERANGE, "%s: %s is outside %s to %s", what, text,
                       unit_format_bytes_short(low, (double)min), unit_format_bytes_short(high, (double)max));
    *out = (int64_t)value;
    return 0;
}

/* Decimals that leave `digits` significant ones, without an exponent. */
static int decimals(double value, int digits)
{
    if (value == 0)
        return 0;
    int before = (int)floor(log10(fabs(value))) + 1;
    int after = digits - before;
    return after < 0 ? 0 : after > 12 ? 12 : after;
}

struct step {
    double from, scale;
    const char *unit;
};

static const struct step time_steps[] = {
    {86400e9, 86400e9, "d"}, {3600e9, 3600e9, "h"}, {60e9, 60e9, "min"}, {1e9, 1e9, "s"},
    {1e6, 1e6, "ms"},        {1e3, 1e3, "us"},      {0, 1, "ns"}};
static const struct step rate_steps[] = {
    {1e9, 1e9, "G/s"}, {1e6, 1e6, "M/s"}, {1e4, 1e3, "k/s"}, {0, 1, "/s"}};
static const struct step size_steps[] = {
    {1024 * TIB, 1024 * TIB, "PiB"}, {TIB, TIB, "TiB"},   {1073741824.0, 1073741824.0, "GiB"},
    {1048576.0, 1048576.0, "MiB"},   {1024, 1024, "KiB"}, {0, 1, "B"}};

static const struct step *find_step(const struct step *steps, double value)
{
    while (fabs(value) < steps->from)
        steps++;
    return steps;
}

static char *format(char buf[UNIT_TEXT], double value, int digits, const struct step *steps)
{
    if (!isfinite(value))
        return strcpy(buf, "-");
    const struct step *s = find_step(steps, value);
    value /= s->scale;
    snprintf(buf, UNIT_TEXT, "%.*f %s", decimals(value, digits), value, s->unit);
    return buf;
}

char *unit_format_ns(char buf[UNIT_TEXT], double ns, int digits)
{
    return format(buf, ns, digits, time_steps);
}

/* "1.50000 s" -> "1.5 s" */
static char *shorten(char *buf)
{
    char *unit = strchr(buf, ' '), *point = strchr(buf, '.');
    if (!unit || !point)
        return buf;
    char *end = unit;
    while (end[-1] == '0')
        end--;
    if (end[-1] == '.')
        end--;
    memmove(end, unit, strlen(unit) + 1);
    return buf;
}

char *unit_format_ns_short(char buf[UNIT_TEXT], double ns)
{
    unit_format_ns(buf, ns, 6);
    return shorten(buf);
}

char *unit_format_bytes_short(char buf[UNIT_TEXT], double bytes)
{
    unit_format_bytes(buf, bytes, 6);
    return shorten(buf);
}

char *unit_format_rate(char buf[UNIT_TEXT], double per_s, int digits)
{
    return format(buf, per_s, digits, rate_steps);
}

char *unit_format_bytes(char buf[UNIT_TEXT], double bytes, int digits)
{
    return format(buf, bytes, digits, size_steps);
}

char *unit_format_real(char buf[UNIT_TEXT], double value, int digits)
{
    if (!isfinite(value))
        return strcpy(buf, "-");
    if (fabs(value) >= 1e15)
        snprintf(buf, UNIT_TEXT, "%.*e", digits - 1, value);
    else
        snprintf(buf, UNIT_TEXT, "%.*f", decimals(value, digits), value);
    return buf;
}

char *unit_format_ns_interval(char buf[2 * UNIT_TEXT], double low, double high, int digits)
{
    if (!isfinite(low) || !isfinite(high))
        return strcpy(buf, "-");
    const struct step *s = find_step(time_steps, high);
    int after = decimals(high / s->scale, digits);
    snprintf(buf, 2 * UNIT_TEXT, "%.*f .. %.*f %s", after, low / s->scale, after, high / s->scale, s->unit);
    return buf;
}
