/* coverage [--short] [--seed N] [--replications N] [--part NAME]: does every interval and decision cover what it
 * says? Prints the table; exit status 1 when a row does not keep its promise. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parts.h"

static const struct {
    const char *name;
    void (*run)(struct suite *, const struct recordings *);
    size_t replications, in_short;
    bool only_by_name;
} parts[] = {
    {"one-arm", part_one_arm, 4000, 300, false},
    {"ratio", part_ratio, 2000, 200, false},
    {"checks", part_checks, 4000, 60, false},
    {"gate", part_gate, 4000, 400, false},
    {"stored", part_stored, 10000, 1000, false},
    {"tune", part_tune, 2000, 200, false},
    {"stall", part_stall, 2000, 200, false},
    {"items", part_items, 2000, 200, false},
    {"efficiency", part_efficiency, 400, 60, false},
    {"too-narrow", part_too_narrow, 2000, 200, true}, /* fails, so that the others can be trusted */
};

static int usage(const char *program)
{
    fprintf(stderr, "usage: %s [--short] [--seed N] [--replications N] [--part NAME]\nparts:", program);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fprintf(stderr, " %s", parts[i].name);
    fprintf(stderr, "\n");
    return 2;
}

static bool read_recordings(const char *directory, struct recordings *r)
{
    return recorded_read_rounds(directory, "quiet", &r->rounds[0]) &&
           recorded_read_rounds(directory, "busy", &r->rounds[1]) &&
           recorded_read_rounds(directory, "loaded", &r->rounds[2]) &&
           recorded_read_turns(directory, "turns_same_cpu", &r->same_cpu) &&
           recorded_read_turns(directory, "turns_any_cpu", &r->any_cpu) &&
           recorded_read_turns(directory, "turns_same_cpu_slower_5pct", &r->slower);
}

int main(int argc, char **argv)
{
    struct suite s = {.noise_directory = TEST_SOURCE_DIR "/data/noise", .seed = 1};
    size_t replications = 0;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--short"))
            s.is_short = true;
        else if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            s.seed = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--replications") && i + 1 < argc)
            replications = strtoull(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--part") && i + 1 < argc)
            only = argv[++i];
        else
            return usage(argv[0]);
    }
    static struct recordings r;
    if (!read_recordings(s.noise_directory, &r)) {
        fprintf(stderr, "%s: no recorded series there\n", s.noise_directory);
        return 2;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (only ? strcmp(only, parts[i].name) != 0 : parts[i].only_by_name)
            continue;
        s.replications = replications ? replications : s.is_short ? parts[i].in_short : parts[i].replications;
        parts[i].run(&s, &r);
    }
    if (s.rows == 0)
        return usage(argv[0]);
    printf("\n%zu rows, %s\n", s.rows, s.failed ? "BROKEN promises among them" : "all promises kept");
    return s.failed;
}
