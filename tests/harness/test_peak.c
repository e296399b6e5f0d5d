/* The declared peak of a core: flags and clocks of machines, and what is missing said. */
#include "peak.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/cmocka.h"

static double peak(const char *flags, double hz, char *why, size_t size)
{
    json_t *o = harness_peak_json(flags, hz);
    const json_t *v = json_object_get(o, "gflop_per_s"), *reason = json_object_get(o, "unavailable");
    double out = json_is_number(v) ? json_number_value(v) : NAN;
    snprintf(why, size, "%s", reason ? json_string_value(reason) : "");
    assert_true(isnan(out) == (reason != NULL));
    json_decref(o);
    return out;
}

static void the_widest_vectors_count(void **state)
{
    (void)state;
    char why[128];
    assert_true(peak("fpu sse2 avx avx2 fma avx512f", 2e9, why, sizeof why) == 128);
    assert_true(peak("fpu sse2 avx avx2 fma", 2e9, why, sizeof why) == 64);
    assert_true(peak("fpu sse2 avx avx2", 2e9, why, sizeof why) == 32); /* without FMA it is AVX */
    assert_true(peak("fpu sse2", 2e9, why, sizeof why) == 16);
    assert_true(peak("fp asimd evtstrm", 2e9, why, sizeof why) == 32);
}

static void what_is_missing_is_said(void **state)
{
    (void)state;
    char why[128];
    peak(NULL, 2e9, why, sizeof why);
    assert_non_null(strstr(why, "no flags"));
    peak("avx2 fma", NAN, why, sizeof why);
    assert_non_null(strstr(why, "no clock"));
    peak("fpu xavx512fx", 2e9, why, sizeof why); /* part of another word is no flag */
    assert_non_null(strstr(why, "no vector instructions"));
}

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static double clock_of(const char *cpuinfo, const char *max_khz)
{
    char root[64], path[256];
    snprintf(root, sizeof root, "peak-%d", (int)getpid());
    static const char *const folders[] = {"",
                                          "/proc",
                                          "/sys",
                                          "/sys/devices",
                                          "/sys/devices/system",
                                          "/sys/devices/system/cpu",
                                          "/sys/devices/system/cpu/cpu0",
                                          "/sys/devices/system/cpu/cpu0/cpufreq"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        mkdir(path, 0777);
    }
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    write_file(path, cpuinfo);
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", root);
    if (max_khz)
        write_file(path, max_khz);
    double hz = harness_clock_hz(root);
    unlink(path);
    snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
    unlink(path);
    for (size_t i = sizeof folders / sizeof *folders; i-- > 0;) {
        snprintf(path, sizeof path, "%s%s", root, folders[i]);
        rmdir(path);
    }
    return hz;
}

static void the_highest_clock_that_is_told_is_taken(void **state)
{
    (void)state;
    static const char xeon[] = "model name\t: Intel(R) Xeon(R) CPU @ 2.60GHz\ncpu MHz\t\t: 2593.906\n",
                      epyc[] = "model name\t: AMD EPYC\ncpu MHz\t\t: 2445.430\n",
                      arm[] = "processor\t: 0\nFeatures\t: fp asimd\n";
    assert_true(clock_of(xeon, "3500000\n") == 3.5e9);
    assert_true(clock_of(xeon, NULL) == 2.6e9);
    assert_true(clock_of(epyc, NULL) == 2.4e9); /* rounded: it must not differ from one session to the next */
    assert_true(isnan(clock_of(arm, NULL)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_widest_vectors_count),
        cmocka_unit_test(what_is_missing_is_said),
        cmocka_unit_test(the_highest_clock_that_is_told_is_taken),
    };
    return CASES(tests);
}
