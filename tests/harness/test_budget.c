/* The CPU budget on recorded machines (tests/data/cgroup/<case>/, found by themselves: `expected` beside proc/ and
 * sys/), under a real quota, and under a real affinity mask. */
#include "harness/budget.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "groups.h"
#include "testing/cmocka.h"

static const char cases_folder[] = TEST_SOURCE_DIR "/data/cgroup";

struct expected {
    int affinity, cpus;
    double quota;
    char from[256], text[128];
};

static void read_expected(const char *folder, struct expected *out)
{
    char path[1024], line[300];
    *out = (struct expected){.quota = NAN};
    snprintf(path, sizeof path, "%s/expected", folder);
    FILE *f = fopen(path, "r");
    if (!f)
        fail_msg("%s is missing", path);
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        int known = sscanf(line, "affinity %d", &out->affinity) + sscanf(line, "cpus %d", &out->cpus) +
                    sscanf(line, "quota %lf", &out->quota) + sscanf(line, "from %255s", out->from) +
                    sscanf(line, "text %127[^\n]", out->text);
        if (known < -4)
            fail_msg("%s: '%s' is no expectation", path, line);
    }
    fclose(f);
}

/* What differs, in *out; "" = nothing. */
static void compare(const struct expected *want, const struct harness_budget *got, const char *root,
                    char *out, size_t size)
{
    out[0] = '\0';
    if (got->cpus != want->cpus)
        snprintf(out, size, "%d CPUs, not %d", got->cpus, want->cpus);
    else if (fabs(got->quota - want->quota) > 1e-12 || isnan(want->quota))
        snprintf(out, size, "a quota of %g, not %g", got->quota, want->quota);
    else if (got->affinity != want->affinity)
        snprintf(out, size, "affinity %d, not %d", got->affinity, want->affinity);
    else if (want->text[0] && strcmp(got->text, want->text))
        snprintf(out, size, "'%s', not '%s'", got->text, want->text);
    else if (want->from[0] && (strncmp(got->quota_from, root, strlen(root)) ||
                               strcmp(got->quota_from + strlen(root), want->from)))
        snprintf(out, size, "quota from '%s', not '%s'", got->quota_from, want->from);
}

static void each_recorded_machine_gives_its_budget(void **state)
{
    (void)state;
    DIR *dir = opendir(cases_folder);
    assert_non_null(dir);
    struct dirent *e;
    int cases = 0;
    while ((e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        char root[512], why[2048];
        struct expected want;
        struct harness_budget got;
        snprintf(root, sizeof root, "%s/%s", cases_folder, e->d_name);
        read_expected(root, &want);
        harness_budget_read(root, want.affinity, &got);
        compare(&want, &got, root, why, sizeof why);
        if (why[0])
            fail_msg("%s: %s", e->d_name, why);
        cases++;
    }
    closedir(dir);
    assert_true(cases >= 15);
}

static void the_comparison_of_machines_finds_differences(void **state)
{
    (void)state;
    char root[512], why[2048];
    struct expected want;
    struct harness_budget got;
    snprintf(root, sizeof root, "%s/v1_quota_of_four_cpus", cases_folder);
    read_expected(root, &want);
    harness_budget_read(root, want.affinity, &got);
    struct expected others[] = {want, want, want, want};
    others[0].cpus++;
    others[1].quota += 0.5;
    others[2].text[0]++;
    others[3].from[1]++;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        compare(&others[i], &got, root, why, sizeof why);
        assert_string_not_equal(why, "");
    }
}

static void without_a_quota_the_text_names_the_mask(void **state)
{
    (void)state;
    char root[512], want[128];
    struct harness_budget b;
    snprintf(root, sizeof root, "%s/v2_max_is_no_quota", cases_folder);
    harness_budget_read(root, 12, &b);
    snprintf(want, sizeof want, "12 (affinity mask; %d online)", b.installed);
    assert_string_equal(b.text, want);
    assert_string_equal(b.quota_from, "");
}

static void this_machines_budget_is_at_most_its_mask(void **state)
{
    (void)state;
    struct harness_budget b;
    harness_budget_read("", 0, &b);
    assert_true(b.cpus >= 1 && b.cpus <= b.affinity && b.affinity <= b.installed);
}

/* In a child, since neither the mask nor the group shall stay: its budget, or -1 when it could not be set up. */
static int in_child(int (*set_up)(const char *arg), const char *arg, struct harness_budget *out)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        struct harness_budget b;
        if (set_up(arg))
            _exit(1);
        harness_budget_read("", 0, &b);
        _exit(write(ends[1], &b, sizeof b) != sizeof b);
    }
    close(ends[1]);
    int got = read(ends[0], out, sizeof *out) == sizeof *out;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return got ? 0 : -1;
}

static int bind_to_first(const char *arg)
{
    (void)arg;
    cpu_set_t now, one;
    if (sched_getaffinity(0, sizeof now, &now))
        return -1;
    int first = 0;
    while (!CPU_ISSET(first, &now))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

static void an_affinity_mask_of_one_cpu_is_a_budget_of_one(void **state)
{
    (void)state;
    struct harness_budget b;
    assert_int_equal(in_child(bind_to_first, NULL, &b), 0);
    assert_int_equal(b.affinity, 1);
    assert_int_equal(b.cpus, 1);
}

static void a_real_quota_of_half_a_cpu_is_a_budget_of_one(void **state)
{
    (void)state;
    char folder[256];
    struct harness_budget b;
    if (group_with_quota(50000, folder, sizeof folder)) {
        print_message(
            "skipped: no CPU quota can be made here (needs root and a writable cgroup hierarchy)\n");
        skip();
    }
    int rc = in_child(group_join, folder, &b);
    assert_int_equal(rmdir(folder), 0);
    if (rc) {
        print_message("skipped: a process cannot be moved into %s\n", folder);
        skip();
    }
    assert_true(fabs(b.quota - 0.5) < 1e-9);
    assert_int_equal(b.cpus, 1);
    assert_non_null(strstr(b.text, "CFS quota of 0.5 CPUs"));
    assert_non_null(strstr(b.quota_from, "lb_test_quota_"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_recorded_machine_gives_its_budget),
        cmocka_unit_test(the_comparison_of_machines_finds_differences),
        cmocka_unit_test(without_a_quota_the_text_names_the_mask),
        cmocka_unit_test(this_machines_budget_is_at_most_its_mask),
        cmocka_unit_test(an_affinity_mask_of_one_cpu_is_a_budget_of_one),
        cmocka_unit_test(a_real_quota_of_half_a_cpu_is_a_budget_of_one),
    };
    return CASES(tests);
}
