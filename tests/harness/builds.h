/* The builds of OpenBLAS that Debian has, each in a folder of its own. */
#ifndef TESTS_HARNESS_BUILDS_H
#define TESTS_HARNESS_BUILDS_H

#include <stdio.h>
#include <unistd.h>

#include "testing/cmocka.h"

#if defined(__x86_64__)
#define LIBRARIES "/usr/lib/x86_64-linux-gnu"
#else
#define LIBRARIES "/usr/lib/aarch64-linux-gnu"
#endif

static inline const char *library_path(const char *build, char *buf, size_t size)
{
    snprintf(buf, size, "%s/openblas-%s/libopenblas.so.0", LIBRARIES, build);
    if (access(buf, R_OK)) {
        print_message("the %s build of OpenBLAS is not installed (libopenblas0-%s)\n", build, build);
        skip();
    }
    snprintf(buf, size, "LD_LIBRARY_PATH=%s/openblas-%s", LIBRARIES, build);
    return buf;
}

#endif
