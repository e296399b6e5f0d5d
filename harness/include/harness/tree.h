/* A trial's process tree: every process of its session (setsid), whichever of them started which. One that makes a session
 * of its own leaves the tree: it is neither stopped nor counted. When its parent has ended it is an orphan, which comes to
 * the harness as its subreaper (guardian.h) and is ended by harness_orphans_kill. */
#ifndef HARNESS_TREE_H
#define HARNESS_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct harness_tree_member {
    pid_t pid;
    uint64_t cpu_ns; /* last reading of its CPU clock; kept when it ended since */
};

/* All-zero but sid is a tree whose members are not known yet. Owner: harness_tree_fini. */
struct harness_tree {
    pid_t sid;
    struct harness_tree_member *member;
    size_t n, cap;
};

/* Finds the members of all trees in one walk over /proc. Members that ended since the last call are dropped.
 * Errors: -ENOMEM, or what opening /proc says; the trees are then as they were. */
int harness_trees_find(struct harness_tree *const *trees, size_t n, struct err *err);

/* CPU time of the members so far, in ns: user and system, all threads. Never goes back while the members stay. */
uint64_t harness_tree_cpu_ns(struct harness_tree *t);

/* Time that the members' first threads and this process have waited for a CPU so far, in ns; NaN where the system does
 * not tell (/proc/pid/schedstat). Only differences mean something. */
double harness_tree_delay_ns(const struct harness_tree *t);

/* Members that are not stopped (state T), nor dead. 0 = the tree is asleep. */
size_t harness_tree_awake(const struct harness_tree *t);

/* Threads of the members that run or wait for a CPU (state R): a clock that stands still does not prove rest where
 * others keep the CPUs busy. */
size_t harness_tree_runnable(const struct harness_tree *t);

/* Proportional set size of the members in bytes (memory they share is split between them); NaN when not readable. */
double harness_tree_pss_bytes(const struct harness_tree *t);

/* Stops or continues every member, and the process group of the leader, so that none escapes between two looks. */
void harness_tree_signal(const struct harness_tree *t, int sig);

/* Kills the session and waits until no process of it is left.
 * Errors: -ETIMEDOUT after wait_ns, naming one that is left. */
int harness_tree_kill(struct harness_tree *t, uint64_t wait_ns, struct err *err);

/* The children of this process, as members of *out. Owner: harness_tree_fini. Errors: as harness_trees_find. */
int harness_children_find(struct harness_tree *out, struct err *err);

/* Kills the children of this process that are in another session than itself and not in `known` (those it had before it
 * started any trial), and what they leave behind in turn, until there is none: once all trials have ended, they are what
 * trials left in sessions of their own. What the program starts for itself meanwhile is in its own session. Nothing but a
 * child is touched, and a child's number is not given to another before it was waited for. said (NULL = nobody): told of
 * each, with its name. Errors: -ETIMEDOUT after wait_ns, naming one that is left. */
int harness_orphans_kill(const struct harness_tree *known, uint64_t wait_ns,
                         void (*said)(void *arg, pid_t pid, const char *name), void *arg, struct err *err);

/* Kills the processes of this user that were executed with the mark in their environment, and what they start meanwhile,
 * but not the caller. Errors: -ETIMEDOUT after wait_ns; as harness_trees_find. */
int harness_marked_kill(const char *mark, uint64_t wait_ns, struct err *err);

void harness_tree_fini(struct harness_tree *t);

#endif
