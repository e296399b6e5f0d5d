/* The doctor: every check looks at this machine without failing, and what recorded machines say leads to the right
 * words. This program is its own child for the probe of the BLAS. */
#include "harness/doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "testing/cmocka.h"

static struct doctor_report report_of(const char *check, const char *root)
{
    struct doctor_config cfg = {.program = "/proc/self/exe", .root = root, .only = check};
    struct doctor_report r;
    struct err err = {0};
    if (harness_doctor(&cfg, &r, &err))
        fail_msg("%s: %s", check, err.text);
    return r;
}

/* The first finding with these words; fails when there is none. */
static enum doctor_level level_of(const struct doctor_report *r, const char *words, const char *advice)
{
    for (size_t i = 0; i < r->n; i++)
        if (strstr(r->item[i].text, words)) {
            if (advice && (!r->item[i].advice || !strstr(r->item[i].advice, advice)))
                fail_msg("'%s' advises '%s'", r->item[i].text,
                         r->item[i].advice ? r->item[i].advice : "nothing");
            return r->item[i].level;
        }
    fail_msg("no finding says '%s'; the first says '%s'", words, r->n ? r->item[0].text : "nothing");
    return DOCTOR_FINE;
}

/* ---- a recorded machine: files below a folder of its own ---- */

static char root[] = "/tmp/loaderbench-doctor-XXXXXX";

static void write_file(const char *path, const char *text)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", root, path);
    for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(whole, 0755);
        *slash = '/';
    }
    FILE *f = fopen(whole, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static int make_root(void **state)
{
    (void)state;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command); /* NOLINT: a name made by mkdtemp */
}

static void check_level(const char *check, const char *words, enum doctor_level level, const char *advice)
{
    struct doctor_report r = report_of(check, root);
    assert_int_equal(level_of(&r, words, advice), level);
    harness_doctor_fini(&r);
}

static void a_machine_without_a_pmu_is_told_so(void **state)
{
    (void)state;
    write_file("/proc/sys/kernel/perf_event_paranoid", "2\n");
    write_file("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor avx2\n");
    check_level("counters", "no PMU (the hypervisor gives none)", DOCTOR_NOTE, NULL);
}

static void paranoid_four_without_rights_counts_nothing_and_says_what_to_do(void **state)
{
    (void)state;
    write_file("/proc/sys/kernel/perf_event_paranoid", "4\n");
    write_file("/sys/bus/event_source/devices/cpu/type", "4\n");
    write_file("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
    check_level("counters", "perf_event_paranoid is 4", DOCTOR_NOTE, "perf_event_paranoid=2");
    write_file("/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n"); /* CAP_PERFMON */
    check_level("counters", "can be counted", DOCTOR_FINE, NULL);
}

static void the_nmi_watchdog_takes_a_counter(void **state)
{
    (void)state;
    write_file("/proc/sys/kernel/perf_event_paranoid", "1\n");
    write_file("/sys/bus/event_source/devices/cpu/type", "4\n");
    write_file("/proc/sys/kernel/nmi_watchdog", "1\n");
    check_level("counters", "NMI watchdog", DOCTOR_NOTE, "nmi_watchdog=0");
}

static void powersave_costs_unless_the_driver_takes_hints(void **state)
{
    (void)state;
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "acpi-cpufreq\n");
    check_level("frequency", "governor powersave", DOCTOR_COSTS, "performance");
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "intel_pstate\n");
    check_level("frequency", "governor powersave", DOCTOR_FINE, NULL);
}

static void turbo_is_told_either_way(void **state)
{
    (void)state;
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");
    write_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    check_level("frequency", "turbo is on", DOCTOR_NOTE, NULL);
    write_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
    check_level("frequency", "turbo is off", DOCTOR_NOTE, NULL);
}

static void steal_since_boot_costs(void **state)
{
    (void)state;
    write_file("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor\n");
    write_file("/proc/stat", "cpu  900 0 0 5000 0 0 0 100 0 0\n");
    check_level("hypervisor", "took 10 %", DOCTOR_COSTS, NULL);
    write_file("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu nohypervisor\n");
    check_level("hypervisor", "no hypervisor", DOCTOR_FINE, NULL);
}

static void quota_of_two_cpus_on_a_host_of_twelve(void **state)
{
    (void)state;
    struct doctor_report r =
        report_of("quota", TEST_SOURCE_DIR "/data/cgroup/v2_two_cpus_on_a_host_of_twelve");
    /* The mask is this machine's, which may be smaller than the quota. */
    json_t *quota = json_object_get(json_object_get(r.measured, "quota"), "quota_cpus");
    assert_true(json_number_value(quota) == 2);
    harness_doctor_fini(&r);
}

static void a_missing_dev_shm_is_told(void **state)
{
    (void)state;
    check_level("memory", "no /dev/shm", DOCTOR_NOTE, NULL);
}

static void a_container_with_few_processes_is_told(void **state)
{
    (void)state;
    write_file("/sys/fs/cgroup/pids.max", "100\n");
    check_level("limits", "100 processes", DOCTOR_COSTS, "pids-limit");
    write_file("/sys/fs/cgroup/pids.max", "max\n");
    struct doctor_report r = report_of("limits", root);
    for (size_t i = 0; i < r.n; i++)
        assert_null(strstr(r.item[i].text, "the container may"));
    harness_doctor_fini(&r);
}

/* ---- this machine ---- */

static double figure(const struct doctor_report *r, const char *check, const char *name)
{
    const json_t *v = json_object_get(json_object_get(r->measured, check), name);
    if (!json_is_number(v))
        fail_msg("%s does not tell %s", check, name);
    return json_number_value(v);
}

static void each_check_looks_and_says_something(void **state)
{
    (void)state;
    struct doctor_about about;
    for (size_t i = 0; (about = harness_doctor_about(i)).name; i++) {
        assert_true(*about.summary);
        if (!strcmp(about.name, "blas"))
            continue; /* seconds: a test of its own */
        struct doctor_report r = report_of(about.name, "");
        for (size_t k = 0; k < r.n; k++) {
            assert_string_equal(r.item[k].check, about.name);
            assert_true(strlen(r.item[k].text) > 10);
            assert_null(strstr(r.item[k].text, "nan"));
        }
        json_t *o = harness_doctor_json(&r);
        assert_int_equal(json_array_size(json_object_get(o, "findings")), r.n);
        json_decref(o);
        harness_doctor_fini(&r);
    }
}

static void figures_of_this_machine_are_possible_ones(void **state)
{
    (void)state;
    struct doctor_report r = report_of("clock", "");
    assert_true(figure(&r, "clock", "cost_ns") > 1 && figure(&r, "clock", "cost_ns") < 1e6);
    harness_doctor_fini(&r);
    r = report_of("pool", "");
    assert_true(figure(&r, "pool", "spin_ns") >= 0);
    assert_true(figure(&r, "pool", "gflop_per_s") > 0.01);
    harness_doctor_fini(&r);
    r = report_of("parallelism", "");
    const json_t *list = json_object_get(json_object_get(r.measured, "parallelism"), "speedup");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *o = json_array_get(list, i);
        double n = (double)json_integer_value(json_object_get(o, "cpus"));
        double speedup = json_number_value(json_object_get(o, "speedup"));
        assert_true(speedup > 0.05 && speedup < 4 * n);
    }
    harness_doctor_fini(&r);
}

static void without_a_program_to_start_checks_say_so(void **state)
{
    (void)state;
    struct doctor_config cfg = {.root = "", .only = "pool"};
    struct doctor_report r;
    assert_int_equal(harness_doctor(&cfg, &r, NULL), 0);
    level_of(&r, "no program to start", NULL);
    harness_doctor_fini(&r);
}

static void findings_come_worst_first(void **state)
{
    (void)state;
    write_file("/proc/cpuinfo", "processor : 0\nflags\t\t: fpu hypervisor\n");
    write_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
    write_file("/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
    struct doctor_report r = report_of("frequency", root);
    assert_int_equal(r.n, 2);
    assert_int_equal(r.item[0].level, DOCTOR_COSTS);
    assert_int_equal(r.item[1].level, DOCTOR_NOTE);
    harness_doctor_fini(&r);
}

static void an_unknown_check_names_the_nearest(void **state)
{
    (void)state;
    struct doctor_config cfg = {.root = "", .only = "clocks"};
    struct doctor_report r;
    struct err err = {0};
    assert_int_equal(harness_doctor(&cfg, &r, &err), -EINVAL);
    assert_non_null(strstr(err.text, "did you mean 'clock'"));
}

static void a_variable_that_changes_the_threads_is_told_with_its_effect(void **state)
{
    (void)state;
    setenv("OPENBLAS_NUM_THREADS", "7", 1);
    struct doctor_report r = report_of("variables", "");
    unsetenv("OPENBLAS_NUM_THREADS");
    const json_t *o = json_object_get(json_object_get(r.measured, "variables"), "OPENBLAS_NUM_THREADS");
    assert_string_equal(json_string_value(json_object_get(o, "value")), "7");
    level_of(&r, "OPENBLAS_NUM_THREADS=7", NULL);
    harness_doctor_fini(&r);
}

static void a_variable_nobody_reads_changes_nothing(void **state)
{
    (void)state;
    setenv("MKL_NUM_THREADS", "3", 1);
    struct doctor_report r = report_of("variables", "");
    unsetenv("MKL_NUM_THREADS");
    level_of(&r, "MKL_NUM_THREADS=3 is set and changes nothing", NULL);
    harness_doctor_fini(&r);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "probe"))
        return child_probe(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_machine_without_a_pmu_is_told_so, make_root, remove_root),
        cmocka_unit_test_setup_teardown(paranoid_four_without_rights_counts_nothing_and_says_what_to_do,
                                        make_root, remove_root),
        cmocka_unit_test_setup_teardown(the_nmi_watchdog_takes_a_counter, make_root, remove_root),
        cmocka_unit_test_setup_teardown(powersave_costs_unless_the_driver_takes_hints, make_root,
                                        remove_root),
        cmocka_unit_test_setup_teardown(turbo_is_told_either_way, make_root, remove_root),
        cmocka_unit_test_setup_teardown(steal_since_boot_costs, make_root, remove_root),
        cmocka_unit_test(quota_of_two_cpus_on_a_host_of_twelve),
        cmocka_unit_test_setup_teardown(a_missing_dev_shm_is_told, make_root, remove_root),
        cmocka_unit_test_setup_teardown(a_container_with_few_processes_is_told, make_root, remove_root),
        cmocka_unit_test(each_check_looks_and_says_something),
        cmocka_unit_test(figures_of_this_machine_are_possible_ones),
        cmocka_unit_test(without_a_program_to_start_checks_say_so),
        cmocka_unit_test_setup_teardown(findings_come_worst_first, make_root, remove_root),
        cmocka_unit_test(an_unknown_check_names_the_nearest),
        cmocka_unit_test(a_variable_that_changes_the_threads_is_told_with_its_effect),
        cmocka_unit_test(a_variable_nobody_reads_changes_nothing),
    };
    return CASES(tests);
}
