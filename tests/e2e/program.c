#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema.h"
#include "testing/cmocka.h"

static const uint64_t LONGEST_NS = UINT64_C(120000000000);

static void redirect(const struct program *p, const char *suffix, int fd)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", p->folder, suffix);
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || dup2(file, fd) < 0)
        _exit(126);
    close(file);
}

void program_init(struct program *p)
{
    *p = (struct program){.folder = "/tmp/lb_e2e_XXXXXX"};
    assert_non_null(mkdtemp(p->folder));
}

void program_start(struct program *p, const char *script)
{
    tag_processes(p->tag);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid)
        return;
    setpgid(0, 0);
    redirect(p, "out", 1);
    redirect(p, "err", 2);
    int null = open("/dev/null", O_RDONLY);
    if (null < 0 || dup2(null, 0) < 0 || chdir(p->folder))
        _exit(126);
    for (int number = 1; number < 32; number++)
        signal(number, SIG_DFL);
    setenv("LB", LOADERBENCH, 1);
    setenv("SABOTAGE", SABOTAGE_SO, 1);
    setenv("LC_ALL", "C", 1);
    execl("/bin/sh", "sh", "-c", script, (char *)NULL);
    _exit(127);
}

int program_wait(struct program *p, uint64_t wait_ns)
{
    uint64_t until = clock_now_ns() + wait_ns;
    int status;
    while (waitpid(p->pid, &status, WNOHANG) != p->pid) {
        if (clock_now_ns() > until)
            return -1;
        clock_sleep_ns(1000000);
    }
    p->pid = 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int program_run(struct program *p, const char *script)
{
    program_start(p, script);
    return program_wait(p, LONGEST_NS);
}

static char *read_all(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t cap = 0;
    if (!f)
        return NULL;
    if (getdelim(&text, &cap, '\0', f) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(f);
    return text;
}

static char *read_stream(const struct program *p, const char *suffix)
{
    char path[96];
    snprintf(path, sizeof path, "%s.%s", p->folder, suffix);
    char *text = read_all(path);
    return text ? text : strdup(""); /* killed before it could say anything */
}

char *program_out(const struct program *p)
{
    return read_stream(p, "out");
}

char *program_err(const struct program *p)
{
    return read_stream(p, "err");
}

char *program_file(const struct program *p, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return read_all(path);
}

bool program_has(const struct program *p, const char *name)
{
    char path[256];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", p->folder, name);
    return !stat(path, &s) && (!S_ISREG(s.st_mode) || s.st_size > 0);
}

int program_fini(struct program *p)
{
    char command[256];
    if (p->pid > 0)
        kill(p->pid, SIGKILL);
    int left = p->tag[0] ? tagged_left(p->tag, 0) : 0;
    if (p->tag[0])
        tagged_kill(p->tag);
    if (p->pid > 0)
        waitpid(p->pid, NULL, 0);
    snprintf(command, sizeof command, "rm -rf '%s' '%s.out' '%s.err'", p->folder, p->folder, p->folder);
    assert_int_equal(system(command), 0);
    return left;
}

void program_check_result(const struct program *p, const char *name, bool cut)
{
    struct schema schema = schema_open(SCHEMA_DIR "/result.schema.json", true);
    char *text = program_file(p, name), why[SCHEMA_WHY];
    assert_non_null(text);
    int number = 1;
    for (char *line = text, *end; *line; line = end + 1, number++) {
        end = strchr(line, '\n');
        if (!end) {
            if (!cut)
                fail_msg("%s: line %d has no end", name, number);
            break;
        }
        *end = '\0';
        json_t *o = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
        if (!schema_holds(&schema, number == 1 ? "header" : NULL, o, why))
            fail_msg("%s: line %d: %s: %.200s", name, number, why, line);
        json_decref(o);
    }
    free(text);
    schema_close(&schema);
}
