/* The workers of an iterator (or, persistent, of a loader): their start, their death, their end, and the
 * memory shared with them. Consumer's side. */
#ifndef LOADER_POOL_H
#define LOADER_POOL_H

#include <pthread.h>

#include "slots.h"

/* Values in a task ring besides slot numbers; a result ring has only the resume's acknowledgement. */
enum { TASK_STOP = 0x7fffffff, TASK_RESUME = 0x7ffffffe };

/* Where a worker goes on when a saved state is resumed: first the draws are passed over, then of an iterable's
 * replica so many batches, which draw again by themselves. */
struct worker_start {
    uint64_t drawn[LOADER_STREAMS];
    int64_t batches;
};

struct pool_worker {
    struct pool *pool;
    int id;
    pid_t pid; /* process backend; 0 = not started */
    int pidfd;
    pthread_t thread; /* thread backend */
    bool started, finished;
    struct worker_block *block;
    struct ring *tasks;
    struct ring_reader results; /* the consumer's end: of the worker's ring, or of the pin stage's */
    struct worker_start start;
};

struct pool {
    const struct loader_config *cfg;
    struct shared_layout layout;
    unsigned char *map;
    struct shared_head *shared;
    struct pool_worker *worker;
    int64_t base_seed;
    uint64_t seed;
    uint32_t ring_mask;
    int epoll_fd, bell_fd; /* the workers ring bell_fd; epoll_fd watches it and the pidfds */
    pid_t owner;
    struct pin_stage *pin; /* NULL = none */
};

struct pool_params {
    const struct loader_config *cfg;
    int64_t batch_max, base_seed;
    uint64_t seed, epoch;
};

/* Maps memory and opens descriptors; starts nobody. Errors: -ENOMEM, -EMFILE, -EOVERFLOW. */
int pool_create(struct pool **out, const struct pool_params *params, struct err *err);

/* The consumer sleeps on the pin stage's bell instead of the workers'. */
int pool_watch_pin(struct pool *p, int bell_fd, struct err *err);

/* Starts all workers, then the pin stage if there is one. Errors: -EAGAIN, -EMFILE, -ENOMEM, with the limit that was hit. */
int pool_start(struct pool *p, struct err *err);

/* Ends and reaps all workers within 100 ms, frees everything. NULL is fine. */
void pool_destroy(struct pool *p);

void pool_send(struct pool *p, int worker, uint32_t value);

/* -EPIPE and who died how, when any process has ended; 0 otherwise. Never takes a stop for a death. */
int pool_check(struct pool *p, struct err *err);

/* Ring the consumer's (or the pin stage's) bell. */
void bell_ring(int fd);

/* The body of a worker; in worker.c. */
void worker_main(struct pool_worker *w);

#endif
