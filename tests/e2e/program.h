/* Running the program as a person does, in a folder of its own, and finding everything it started. */
#ifndef TESTS_E2E_PROGRAM_H
#define TESTS_E2E_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "testing/tagged.h"

struct program {
    char folder[64]; /* its working folder; stdout and stderr are files beside it: folder.out, folder.err */
    char tag[TAG_BYTES];
    pid_t pid;
};

/* An empty folder under /tmp. */
void program_init(struct program *p);

/* Starts words of the shell there, with "$LB" the program; what the shell execs keeps the id that is in p->pid.
 * Standard input is /dev/null. */
void program_start(struct program *p, const char *script);

/* Waits for its end; returns the exit code as a shell shows it (128 + signal), -1 after wait_ns. */
int program_wait(struct program *p, uint64_t wait_ns);

/* Both, with a limit that is only there to end a test that hangs. */
int program_run(struct program *p, const char *script);

/* What it said so far. The caller frees. */
char *program_out(const struct program *p);
char *program_err(const struct program *p);

/* The text of a file in its folder, NULL when there is none. The caller frees. */
char *program_file(const struct program *p, const char *name);
bool program_has(const struct program *p, const char *name);

/* Ends what is left of it and removes the folder; returns how many processes were left. */
int program_fini(struct program *p);

/* Fails the test unless every line of a result file is as its schema says. cut: the last line may be cut off. */
void program_check_result(const struct program *p, const char *name, bool cut);

#endif
