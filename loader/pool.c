/* Starting, watching and ending workers.
 *
 * A process's death is seen through its pidfd, which an epoll set watches beside the bell (an eventfd) that
 * workers ring for a consumer that sleeps. A stop (SIGSTOP) makes no pidfd readable. A worker dies with the
 * consumer by PR_SET_PDEATHSIG; the kernel sends it when the thread that forked ends, so the thread that
 * opens an iterator has to live as long as it. The check of the parent after the prctl closes the gap before
 * it.
 *
 * The end: `stop` is set and a stop task queued; an idle worker leaves at once, one inside a hook at the next
 * sample. Processes that have not left after GRACE_NS are killed. Threads cannot be: they are waited for. */
#include "pool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "pin.h"
#include "wait.h"

enum { GRACE_MS = 30 };

void bell_ring(int fd)
{
    uint64_t one = 1;
    ssize_t n;
    do
        n = write(fd, &one, sizeof one);
    while (n < 0 && errno == EINTR);
}

void pool_send(struct pool *p, int worker, uint32_t value)
{
    struct ring *tasks = p->worker[worker].tasks;
    if (ring_push(tasks, p->ring_mask, value))
        ring_wake(tasks);
}

static int watch(struct pool *p, int fd, uint32_t events, uint32_t tag)
{
    struct epoll_event event = {.events = events, .data.u32 = tag};
    return epoll_ctl(p->epoll_fd, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int descriptor_error(int code, struct err *err, const char *what)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (code == -EMFILE)
        return err_set(err, code, "no descriptor left for %s: the limit of open files is %llu (ulimit -n)",
                       what, (unsigned long long)limit.rlim_cur);
    return err_set_errno(err, code, "%s", what);
}

static int open_descriptors(struct pool *p, struct err *err)
{
    p->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    p->bell_fd = p->epoll_fd < 0 ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int rc = p->bell_fd < 0 ? -errno : watch(p, p->bell_fd, EPOLLIN | EPOLLET, UINT32_MAX);
    return rc ? descriptor_error(rc, err, "the loader's bell") : 0;
}

static int map_memory(struct pool *p, struct err *err)
{
    size_t bytes = p->layout.total_bytes;
    void *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED)
        return err_set_errno(err, -ENOMEM, "cannot map the %zu bytes of the loader's slots", bytes);
    p->map = map;
    p->shared = map;
    return 0;
}

static void tie_rings(struct pool *p)
{
    p->ring_mask = p->layout.ring_capacity - 1;
    for (int w = 0; w < p->layout.workers; w++) {
        struct pool_worker *worker = &p->worker[w];
        worker->pool = p;
        worker->id = w;
        worker->pidfd = -1;
        worker->block = shared_block(&p->layout, p->map, w);
        worker->tasks = shared_tasks(worker->block);
        worker->results =
            (struct ring_reader){.ring = shared_results(&p->layout, worker->block), .mask = p->ring_mask};
        atomic_store_explicit(&worker->block->working, -1, memory_order_relaxed);
    }
}

int pool_create(struct pool **out, const struct pool_params *params, struct err *err)
{
    *out = NULL;
    struct pool *p = calloc(1, sizeof *p);
    if (!p)
        return err_set(err, -ENOMEM, "no memory for the workers");
    p->cfg = params->cfg;
    p->epoll_fd = p->bell_fd = -1;
    p->owner = getpid();
    p->base_seed = params->base_seed;
    p->seed = params->seed;
    int rc = shared_layout_init(&p->layout, params->cfg, params->batch_max);
    if (rc)
        err_set(err, rc, "the slots' size does not fit into an address");
    else
        rc = map_memory(p, err);
    if (!rc)
        rc = open_descriptors(p, err);
    if (!rc && !(p->worker = calloc((size_t)p->layout.workers, sizeof *p->worker)))
        rc = err_set(err, -ENOMEM, "no memory for the workers");
    if (rc) {
        pool_destroy(p);
        return rc;
    }
    tie_rings(p);
    atomic_store(&p->shared->epoch, params->epoch);
    *out = p;
    return 0;
}

/* In the child. Handlers of the parent's must not run here: their state is its own. Interrupts (Ctrl-C goes to the whole group) are the consumer's to act on. */
static void settle_in(const struct pool_worker *w)
{
    static const int to_default[] = {SIGTERM, SIGHUP, SIGCHLD, SIGALRM, SIGUSR1, SIGUSR2,
                                     SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != w->pool->owner)
        _exit(0);
    for (size_t i = 0; i < sizeof to_default / sizeof *to_default; i++)
        signal(to_default[i], SIG_DFL);
    signal(SIGINT, SIG_IGN);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    char name[16];
    snprintf(name, sizeof name, "lb-worker-%d", w->id);
    prctl(PR_SET_NAME, name);
}

static int process_error(int code, const struct pool *p, int worker, struct err *err)
{
    struct rlimit limit = {0};
    getrlimit(RLIMIT_NPROC, &limit);
    if (code == -EAGAIN)
        return err_set(err, code,
                       "cannot start worker %d of %d: the limit of processes is %llu (ulimit -u), or of the "
                       "cgroup's tasks",
                       worker, p->layout.workers, (unsigned long long)limit.rlim_cur);
    return err_set_errno(err, code, "cannot start worker %d of %d", worker, p->layout.workers);
}

static int start_process(struct pool_worker *w, struct err *err)
{
    struct pool *p = w->pool;
    pid_t pid = fork();
    if (pid < 0)
        return process_error(-errno, p, w->id, err);
    if (pid == 0) {
        settle_in(w);
        worker_main(w);
        _exit(0);
    }
    w->pid = pid;
    w->started = true;
    w->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
    int rc = w->pidfd < 0 ? -errno : watch(p, w->pidfd, EPOLLIN, (uint32_t)w->id);
    return rc ? descriptor_error(rc, err, "a worker's pidfd") : 0;
}

/* Signals are for the consumer's own threads; those that a fault raises stay where they happen. */
static void block_signals(void)
{
    sigset_t set;
    sigfillset(&set);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&set, faults[i]);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static void *thread_main(void *arg)
{
    block_signals();
    worker_main(arg);
    return NULL;
}

static int start_thread(struct pool_worker *w, struct err *err)
{
    int rc = -pthread_create(&w->thread, NULL, thread_main, w);
    if (rc)
        return process_error(rc, w->pool, w->id, err);
    w->started = true;
    char name[16];
    snprintf(name, sizeof name, "lb-worker-%d", w->id);
    pthread_setname_np(w->thread, name);
    return 0;
}

int pool_watch_pin(struct pool *p, int bell_fd, struct err *err)
{
    epoll_ctl(p->epoll_fd, EPOLL_CTL_DEL, p->bell_fd, NULL);
    int rc = watch(p, bell_fd, EPOLLIN | EPOLLET, UINT32_MAX);
    return rc ? descriptor_error(rc, err, "the pin stage's bell") : 0;
}

int pool_start(struct pool *p, struct err *err)
{
    int rc = 0;
    for (int w = 0; !rc && w < p->layout.workers; w++) {
        bool threads = p->cfg->backend == LOADER_BACKEND_THREAD;
        rc = threads ? start_thread(&p->worker[w], err) : start_process(&p->worker[w], err);
    }
    return !rc && p->pin ? pin_stage_start(p->pin, err) : rc;
}

static void tell_death(const struct pool_worker *w, const siginfo_t *info, struct err *err)
{
    char batch[48] = "between two batches";
    int64_t working = atomic_load_explicit(&w->block->working, memory_order_relaxed);
    if (!atomic_load(&w->block->up_ns))
        snprintf(batch, sizeof batch, "before it was up");
    else if (working >= 0)
        snprintf(batch, sizeof batch, "while it made batch %" PRId64, working);
    if (info->si_code == CLD_EXITED)
        err_set(err, -EPIPE, "worker %d (pid %d) exited unexpectedly with exit code %d, %s", w->id,
                (int)w->pid, info->si_status, batch);
    else if (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED)
        err_set(err, -EPIPE, "worker %d (pid %d) is killed by signal %d (%s), %s%s", w->id, (int)w->pid,
                info->si_status, strsignal(info->si_status), batch,
                info->si_status == SIGBUS ? "; was shared memory exhausted?" : "");
    else
        err_set(err, -EPIPE, "worker %d (pid %d) exited unexpectedly, %s", w->id, (int)w->pid, batch);
}

static bool has_died(const struct pool_worker *w, siginfo_t *info)
{
    memset(info, 0, sizeof *info);
    if (waitid(P_PIDFD, (id_t)w->pidfd, info, WEXITED | WNOHANG | WNOWAIT))
        return true; /* somebody else reaped it */
    return info->si_pid != 0;
}

int pool_check(struct pool *p, struct err *err)
{
    for (int w = 0; w < p->layout.workers; w++) {
        siginfo_t info;
        if (p->worker[w].pidfd >= 0 && has_died(&p->worker[w], &info)) {
            tell_death(&p->worker[w], &info, err);
            return -EPIPE;
        }
    }
    return 0;
}

static void wait_for_exit(struct pool_worker *w, uint64_t until_ns)
{
    uint64_t now_ns = clock_now_ns();
    int left_ms = now_ns < until_ns ? (int)((until_ns - now_ns) / 1000000) : 0;
    struct pollfd exits = {.fd = w->pidfd, .events = POLLIN};
    w->finished = poll(&exits, 1, left_ms) == 1;
}

static void end_processes(struct pool *p)
{
    uint64_t until_ns = clock_now_ns() + GRACE_MS * UINT64_C(1000000);
    for (int w = 0; w < p->layout.workers; w++)
        if (p->worker[w].pidfd >= 0)
            wait_for_exit(&p->worker[w], until_ns);
    for (int w = 0; w < p->layout.workers; w++)
        if (p->worker[w].pid && !p->worker[w].finished)
            kill(p->worker[w].pid, SIGKILL);
    for (int w = 0; w < p->layout.workers; w++) {
        siginfo_t info;
        while (p->worker[w].pid && waitid(P_PID, (id_t)p->worker[w].pid, &info, WEXITED) && errno == EINTR)
            ;
        if (p->worker[w].pidfd >= 0)
            close(p->worker[w].pidfd);
    }
}

static void end_workers(struct pool *p)
{
    atomic_store(&p->shared->stop, 1);
    for (int w = 0; w < p->layout.workers; w++)
        if (p->worker[w].started)
            pool_send(p, w, TASK_STOP);
    if (p->cfg->backend == LOADER_BACKEND_PROCESS)
        end_processes(p);
    for (int w = 0; w < p->layout.workers; w++)
        if (p->cfg->backend == LOADER_BACKEND_THREAD && p->worker[w].started)
            pthread_join(p->worker[w].thread, NULL);
}

void pool_destroy(struct pool *p)
{
    if (!p)
        return;
    if (p->owner == getpid()) { /* a forked copy of the consumer has no say over workers and threads */
        pin_stage_destroy(p->pin);
        if (p->worker)
            end_workers(p);
    }
    if (p->epoll_fd >= 0)
        close(p->epoll_fd);
    if (p->bell_fd >= 0)
        close(p->bell_fd);
    if (p->map)
        munmap(p->map, p->layout.total_bytes);
    free(p->worker);
    free(p);
}
