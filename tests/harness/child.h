/* What a test program does when harness_probe starts it as its own child: as `loaderbench probe`. */
#ifndef TESTS_HARNESS_CHILD_H
#define TESTS_HARNESS_CHILD_H

#include <stdio.h>
#include <stdlib.h>

#include "harness/probe.h"

static int child_probe(int argc, char **argv)
{
    struct probe_request request = {.threads = argc > 2 ? atoi(argv[2]) : 1,
                                    .size = argc > 3 ? atoi(argv[3]) : 128,
                                    .work_ns = argc > 4 ? atof(argv[4]) : 1e6};
    struct probe found;
    if (harness_probe_self(&request, &found, NULL))
        return 1;
    char *line = harness_probe_line(&found);
    puts(line);
    fflush(stdout);
    free(line);
    harness_probe_fini(&found);
    return 0;
}

#endif
