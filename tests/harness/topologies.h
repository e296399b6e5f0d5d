/* Machines that tests of placement and topology walk: shapes of real ones and odd ones in hwloc's synthetic notation, and
 * files in its XML. */
#ifndef TESTS_TOPOLOGIES_H
#define TESTS_TOPOLOGIES_H

#include <stddef.h>

struct shape {
    const char *text, *allowed; /* NULL = all CPUs */
    int ncpus;
};

#define RECORDED(name) TEST_SOURCE_DIR "/data/topology/" name ".xml"

static const struct shape shapes[] = {
    {"pu:1", NULL, 1},
    {"pu:2", NULL, 2},
    {"core:2 pu:1", NULL, 2},
    {"core:1 pu:2", NULL, 2},
    {"core:4 pu:2", NULL, 8},
    {"core:4 pu:2", "1,3", 2},
    {"core:4 pu:2", "0", 1},
    {"core:4 pu:2", "0-1,3,5", 4},
    {"core:4 pu:2", "2-7", 6},
    {"pack:2 core:4 pu:1", NULL, 8},
    {"pack:2 core:4 pu:2", NULL, 16},
    {"pack:2 core:4 pu:2", "0-3,8", 5},
    {"pack:2 numa:2 core:4 pu:2", NULL, 32},
    {"pack:2 numa:2 core:16 pu:2", NULL, 128},
    {"pack:2 l3:4 core:4 pu:2", NULL, 64},
    {"l3:2 core:3 pu:1", NULL, 6},
    {"l3:3 core:5 pu:2", NULL, 30},
    {"pack:1 l3:8 core:8 pu:2", NULL, 128},
    {"pack:4 core:1 pu:4", NULL, 16},
    {"pack:8 l3:1 core:2 pu:1", NULL, 16},
    {"pack:2 core:2 pu:4", "0,4,8,12", 4},
    {"pack:2 core:6 pu:1", "11", 1},
    {"core:7 pu:1", NULL, 7},
    {"pack:2 l3:2 core:4 pu:2", "16-31", 16},
    {"pack:1 core:96 pu:1", NULL, 96},
    {"core:2 pu:8", NULL, 16},
    {"pack:2 numa:1 core:8 pu:8", "8-15,64-71", 16},
    {"pack:4 numa:2 core:32 pu:1", NULL, 256},
    {"core:12 pu:1", "1,3", 2},
    {"core:4 pu:2", "1-7", 7},
    {"pack:2 l3:2 core:4 pu:2", "1,3,5,7,31", 5},
    {"numa:4 l3:2 core:2 pu:1", NULL, 16},
    {"pack:2 core:4 pu:2", "0-1,4-5,10-11", 6},
    {RECORDED("amd_four_l3"), NULL, 32},
    {RECORDED("amd_four_l3"), "0-5,16-21", 12},
    {RECORDED("arm_4_small_4_big"), NULL, 8},
    {RECORDED("big_256_cores"), NULL, 256},
    {RECORDED("cpu_0_is_not_ours"), NULL, 6},
    {RECORDED("hybrid_8_fast_8_slow"), NULL, 24},
    {RECORDED("offline_cpu_in_the_middle"), NULL, 7},
    {RECORDED("one_allowed_hyperthread_of_a_core"), NULL, 6},
    {RECORDED("one_package_two_nodes"), NULL, 12},
    {RECORDED("two_memories_of_the_same_cpus"), NULL, 32},
    {RECORDED("two_packages_two_nodes_smt"), NULL, 32},
    {RECORDED("two_packages_two_nodes_smt"), "8-15", 8},
    {RECORDED("vm_of_two_cpus"), NULL, 2},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

#endif
