/* Work in a process of its own, so that no mask, filter or pool of it stays. */
#ifndef TESTS_HARNESS_FORKED_H
#define TESTS_HARNESS_FORKED_H

#include <sys/wait.h>
#include <unistd.h>

#include "testing/cmocka.h"

enum { FORKED_SECONDS = 20, FORKED_SKIP = 77 };

/* Runs `work` in a child that a hanging library cannot keep for ever; what it returned (0 = good, FORKED_SKIP = it cannot
 * be tried here, by agreement), -1 = it was killed. */
static inline int forked(int (*work)(void))
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid) {
        alarm(FORKED_SECONDS);
        _exit(work());
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif
