/* Reading every thread of a process. Source: proc(5) for status and the fields of stat; migrations are in sched, which is
 * there in kernels built with CONFIG_SCHED_DEBUG. */
#include "trial_threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/affinity.h"
#include "results/json.h"

static FILE *open_file(pid_t pid, pid_t tid, const char *name)
{
    char path[96];
    snprintf(path, sizeof path, "/proc/%d/task/%d/%s", (int)pid, (int)tid, name);
    return fopen(path, "re");
}

/* Where it ran last: the 39th field, the 37th behind the command's name. */
static json_t *last_cpu_json(pid_t pid, pid_t tid)
{
    enum { FIELD = 37 };
    char line[1024] = "";
    FILE *f = open_file(pid, tid, "stat");
    if (f && !fgets(line, sizeof line, f))
        line[0] = '\0';
    if (f)
        fclose(f);
    const char *p = strrchr(line, ')');
    for (int i = 0; p && i < FIELD; i++)
        if ((p = strchr(p, ' ')))
            p++;
    return p ? json_integer(atoi(p)) : json_null();
}

static void put_migrations(json_t *o, pid_t pid, pid_t tid)
{
    char line[256], why[128];
    long long n;
    bool found = false;
    FILE *f = open_file(pid, tid, "sched");
    int missing = errno;
    while (f && !found && fgets(line, sizeof line, f))
        found = sscanf(line, "se.nr_migrations : %lld", &n) == 1;
    if (f)
        fclose(f);
    json_object_set_new(o, "migrations", found ? json_integer(n) : json_null());
    if (found)
        return;
    snprintf(why, sizeof why, "/proc/PID/task/TID/sched: %s",
             f ? "no nr_migrations in it" : strerror(missing));
    json_object_set_new(o, "unavailable", json_string(why));
}

static json_t *thread_json(pid_t pid, pid_t tid)
{
    char *allowed = NULL;
    harness_affinity_read_thread(tid, &allowed, NULL);
    json_t *o = json_pack("{s:i, s:o, s:o}", "tid", (int)tid, "allowed", result_json_text(allowed), "cpu",
                          last_cpu_json(pid, tid));
    put_migrations(o, pid, tid);
    free(allowed);
    return o;
}

json_t *trial_threads_json(pid_t pid, pid_t only)
{
    json_t *list = json_array();
    char path[64];
    if (only) {
        json_array_append_new(list, thread_json(pid, only));
        return list;
    }
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *dir = opendir(path);
    struct dirent *e;
    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            json_array_append_new(list, thread_json(pid, (pid_t)atoi(e->d_name)));
    if (dir)
        closedir(dir);
    return list;
}
