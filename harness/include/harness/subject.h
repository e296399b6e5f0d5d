/* A running trial as the harness sees it: started, asked, put to sleep, ended. */
#ifndef HARNESS_SUBJECT_H
#define HARNESS_SUBJECT_H

#include <signal.h>
#include <stdint.h>

#include "base/err.h"
#include "harness/guardian.h"
#include "harness/protocol.h"
#include "harness/tree.h"

/* How a tree is kept from running while others are measured. */
enum subject_rest {
    SUBJECT_REST_STOP, /* SIGSTOP and SIGCONT to its processes */
    SUBJECT_REST_WAIT, /* it cannot be stopped from here (a launcher that spans machines): wait until it stands still */
};

struct subject {
    struct harness_tree tree;
    const struct harness_guardian *guardian;
    enum subject_rest rest;
    int in, out,
        err;   /* its standard input, its standard output, and a file with what it said on standard error */
    char *buf; /* bytes read that are not a whole line yet */
    size_t len, cap;
    const volatile sig_atomic_t *stop; /* set: every wait ends with -EINTR; NULL = never */
};

/* Starts the command in a session of its own, under guard. argv ends with NULL; argv[0] is looked up in PATH.
 * Owner:  subject_end, also after a failure of any call below.
 * Errors: -ENOENT, -EACCES, ... of exec; -EAGAIN, -EMFILE of the limits. */
int subject_start(struct subject *s, const char *const *argv, const struct harness_guardian *guardian,
                  struct err *err);

/* Sends one line (takes the reference) and waits for the line that answers it.
 * Owner:  *answer is a new reference.
 * Errors: -ETIMEDOUT, -EINTR, -EPIPE it ended (with its exit status and its last words), -EPROTO no JSON object,
 *         -EREMOTEIO it answered {"error": ...}. */
int subject_ask(struct subject *s, json_t *line, uint64_t timeout_ns, json_t **answer, struct err *err);

/* Puts the tree to sleep and proves it; or wakes it.
 * Errors: -ETIMEDOUT a process still runs after a second. */
int subject_sleep(struct subject *s, struct err *err);
void subject_wake(struct subject *s);

/* Kills the whole session and waits for it. Errors: as harness_tree_kill. */
int subject_end(struct subject *s, struct err *err);

#endif
