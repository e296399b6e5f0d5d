/* The declared peak of a core. Source of the widths: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1,
 * chapters 10, 14 and 15; Arm Architecture Reference Manual for A-profile, chapter A1 (Advanced SIMD). */
#include "peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/json.h"

/* The first that the flags have. */
static const struct {
    const char *flag, *too; /* both have to be there; too NULL = the first alone */
    int flop_per_cycle;
    const char *name;
} widths[] = {
    {"avx512f", NULL, 64, "AVX-512"}, {"avx2", "fma", 32, "AVX2 with FMA"}, {"avx", NULL, 16, "AVX"},
    {"sse2", NULL, 8, "SSE2"},        {"asimd", NULL, 16, "ASIMD"},
};

static int has_flag(const char *flags, const char *flag)
{
    size_t n = strlen(flag);
    for (const char *p = flags; (p = strstr(p, flag)); p += n)
        if ((p == flags || p[-1] == ' ') && (p[n] == ' ' || p[n] == '\0'))
            return 1;
    return 0;
}

static json_t *unavailable(const char *why)
{
    return json_pack("{s:n, s:s}", "gflop_per_s", "unavailable", why);
}

json_t *harness_peak_json(const char *flags, double clock_hz)
{
    char from[128];
    if (!flags)
        return unavailable("the kernel tells no flags of this CPU");
    if (!(clock_hz > 0))
        return unavailable("the kernel tells no clock of this CPU");
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (!has_flag(flags, widths[i].flag) || (widths[i].too && !has_flag(flags, widths[i].too)))
            continue;
        snprintf(from, sizeof from, "%s, two units, at %.2f GHz", widths[i].name, clock_hz / 1e9);
        return json_pack("{s:i, s:f, s:f, s:s}", "flop_per_cycle", widths[i].flop_per_cycle, "clock_hz",
                         clock_hz, "gflop_per_s", widths[i].flop_per_cycle * clock_hz / 1e9, "from", from);
    }
    return unavailable("no vector instructions known to this program");
}

static double cpufreq_hz(const char *root)
{
    char path[1100];
    double khz = NAN;
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", root);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%lf", &khz) != 1)
        khz = NAN;
    if (f)
        fclose(f);
    return khz * 1e3;
}

double harness_clock_hz(const char *root)
{
    char path[1100], line[4096];
    double hz = cpufreq_hz(root), value;
    if (hz > 0)
        return hz;
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    FILE *f = fopen(path, "re");
    double now = NAN, named = NAN;
    while (f && fgets(line, sizeof line, f)) {
        const char *at = strncmp(line, "model name", 10) ? NULL : strrchr(line, '@');
        if (at && sscanf(at, "@ %lfGHz", &value) == 1)
            named = value * 1e9;
        if (sscanf(line, "cpu MHz : %lf", &value) == 1)
            now = round(value / 100) * 100e6;
    }
    if (f)
        fclose(f);
    return named > 0 ? named : now;
}
