/* What stands in a suite's file, read and checked, before it becomes arms. */
#ifndef BENCH_SUITE_FILE_H
#define BENCH_SUITE_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "suite.h"
#include "suite_yaml.h"

/* What is loaded and done. Sweeps and arms begin with that of the suite's workload, and say what is otherwise. */
struct suite_work {
    const char *data, *transform, *consumer;
    int on_error; /* of axis_on_error_words */
    int cache;    /* enum data_cache */
    int64_t batch_size;
    bool shuffle;
};

/* An empty list stands for the plan's default. */
struct suite_sweep {
    struct suite_work work;
    struct suite_list transform;                  /* const char *; empty = work's */
    struct suite_list workers, threads, prefetch; /* int64_t; threads: 0 = all */
    struct suite_list affinity, backend;          /* const char * */
    int main;                                     /* 0 = share, 1 = reserve */
    size_t line;                                  /* it begins here */
};

struct suite_arm {
    const char *name, *subject, *margin; /* margin: a ratio within limits, or NULL */
    struct suite_work work;
    const char *affinity, *backend;
    int64_t workers, threads, prefetch; /* threads: 0 = all */
    int main;
    size_t line;
};

struct suite {
    enum suite_main main; /* no field of the file: set by the command line */
    char *path;
    struct suite_yaml yaml;      /* owns the texts */
    const char *title;           /* for who reads the file: no command shows it */
    const char *budget, *margin; /* within limits, or NULL */
    struct suite_work work;
    struct suite_sweep *sweeps;
    size_t nsweeps;
    struct suite_arm *arms;
    size_t narms;
};

#endif
