/* Finding every process that a test started, however it was started and whoever is its parent: by a variable in the
 * environment it was executed with. A process is counted until it is dead; stopped ones are, zombies are not. */
#ifndef TESTING_TAGGED_H
#define TESTING_TAGGED_H

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { TAG_BYTES = 64, TAGGED_MAX = 256 };

/* Sets the variable here, so that what is executed from now on carries it: "LB_TEST_TAG=..." in tag. */
static inline void tag_processes(char tag[TAG_BYTES])
{
    char value[32];
    snprintf(value, sizeof value, "%d-%llx", (int)getpid(), (unsigned long long)clock_now_ns());
    setenv("LB_TEST_TAG", value, 1);
    snprintf(tag, TAG_BYTES, "LB_TEST_TAG=%s", value);
}

static inline char tagged__state(const char *pid)
{
    char path[300], text[512] = "";
    snprintf(path, sizeof path, "/proc/%s/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    const char *after = n > 0 ? strrchr(text, ')') : NULL;
    return after && after[1] ? after[2] : 'X';
}

static inline int tagged__has(const char *pid, const char *tag)
{
    char path[300];
    static char text[1 << 17];
    snprintf(path, sizeof path, "/proc/%s/environ", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
    if (fd >= 0)
        close(fd);
    return n > 0 && memmem(text, (size_t)n, tag, strlen(tag)) != NULL;
}

/* Their ids, at most TAGGED_MAX; returns how many. */
static inline int tagged_list(const char *tag, pid_t *out)
{
    DIR *dir = opendir("/proc");
    struct dirent *e;
    int n = 0;
    while (dir && n < TAGGED_MAX && (e = readdir(dir))) {
        if (!isdigit((unsigned char)e->d_name[0]) || !tagged__has(e->d_name, tag))
            continue;
        char state = tagged__state(e->d_name);
        if (state != 'Z' && state != 'X')
            out[n++] = (pid_t)atoi(e->d_name);
    }
    if (dir)
        closedir(dir);
    return n;
}

static inline int tagged_count(const char *tag)
{
    pid_t list[TAGGED_MAX];
    return tagged_list(tag, list);
}

/* Waits until none is left, at most so long; returns how many are. */
static inline int tagged_left(const char *tag, uint64_t wait_ns)
{
    uint64_t until = clock_now_ns() + wait_ns;
    int n;
    while ((n = tagged_count(tag)) > 0 && clock_now_ns() < until)
        clock_sleep_ns(5000000);
    return n;
}

/* After a test that failed: nothing of it may stay. */
static inline void tagged_kill(const char *tag)
{
    pid_t list[TAGGED_MAX];
    for (int n = tagged_list(tag, list); n > 0; n--)
        kill(list[n - 1], SIGKILL);
}

#endif
