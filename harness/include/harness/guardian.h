/* A process that outlives the harness by a moment: when the harness is gone, however it went, it kills every session
 * it was told of, and what their processes left in sessions of their own. Stopped trees would otherwise stay for ever. */
#ifndef HARNESS_GUARDIAN_H
#define HARNESS_GUARDIAN_H

#include <sys/types.h>

#include "base/err.h"

struct harness_guardian;

/* The variable of a trial's environment in which marks stand, joined by colons. */
#define HARNESS_MARK_VARIABLE "LOADERBENCH_SESSION"
enum { HARNESS_MARK_BYTES = 48 };

/* Starts it, and makes the caller the reaper of its orphaned descendants. Call it before any trial is started.
 * Owner:  the caller, until harness_guardian_close.
 * Errors: -EAGAIN, -EMFILE, ... */
int harness_guardian_open(struct harness_guardian **out, struct err *err);

/* The calling process, already the leader of a session of its own, puts itself under guard: for the child between
 * fork and exec, so that there is no moment at which a trial exists that nobody would end. Async-signal-safe. */
int harness_guardian_enlist(const struct harness_guardian *g);

/* What is executed with this mark in HARNESS_MARK_VARIABLE is ended with the rest, in whatever session it is then. Borrowed. */
const char *harness_guardian_mark(const struct harness_guardian *g);

/* A session has ended and its number may be used again by the system. */
void harness_guardian_forget(const struct harness_guardian *g, pid_t sid);

/* Lets it go: it ends without killing anything but what is still enlisted or marked. */
void harness_guardian_close(struct harness_guardian *g);

#endif
