/* Files mapped read-only, and files that get shorter meanwhile.
 *
 * A page of a mapping that its file no longer has raises SIGBUS when it is touched, wherever that is: in a kernel, in a
 * thread, in a worker. The handler puts zeros where the rest of the file was, notes that in the mapping's guard, and lets
 * the access happen again; who used the bytes asks data__map_whole afterwards. The last page of a cut file is filled with
 * zeros by the system, without a signal: that is why the size is looked at too.
 *
 * A handler belongs to the process, so the guards and what handled the signal before are file-scope variables: the
 * exception to the rule that a library has none. A fault that is none of ours goes to what was there before. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files.h"

enum { GUARDS_MAX = 1024 }; /* mappings at a time; a source or a reader has one */

static struct data__guard {
    _Atomic int taken, cut;
    _Atomic uintptr_t from;
    _Atomic size_t bytes; /* whole pages; 0 = nothing to guard yet */
} guards[GUARDS_MAX];

static struct sigaction before;
static size_t page_bytes;

static struct data__guard *guard_of(uintptr_t at)
{
    for (int i = 0; i < GUARDS_MAX; i++)
        if (at - atomic_load(&guards[i].from) < atomic_load(&guards[i].bytes))
            return &guards[i];
    return NULL;
}

/* Zeros from the page of `at` to the end of the mapping. Only a system call: it runs in a signal handler. */
static bool put_zeros(struct data__guard *g, uintptr_t at)
{
    uintptr_t page = at / page_bytes * page_bytes, end = atomic_load(&g->from) + atomic_load(&g->bytes);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
    return mmap((void *)page, end - page, PROT_READ, flags, -1, 0) != MAP_FAILED;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    int kept = errno;
    uintptr_t at = (uintptr_t)info->si_addr;
    struct data__guard *g = info->si_code == BUS_ADRERR ? guard_of(at) : NULL;
    if (g && put_zeros(g, at))
        atomic_store(&g->cut, 1);
    else
        sigaction(number, &before, NULL); /* the access happens again, and goes there */
    errno = kept;
}

void data__map_arm(void)
{
    struct sigaction now, ours = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    if (!sigaction(SIGBUS, NULL, &now) && now.sa_sigaction == on_fault)
        return;
    before = now;
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    sigaction(SIGBUS, &ours, NULL);
}

static struct data__guard *take_guard(void)
{
    for (int i = 0; i < GUARDS_MAX; i++) {
        int no = 0;
        if (atomic_compare_exchange_strong(&guards[i].taken, &no, 1))
            return &guards[i];
    }
    return NULL;
}

static void give_guard(struct data__guard *g)
{
    atomic_store(&g->bytes, 0);
    atomic_store(&g->cut, 0);
    atomic_store(&g->taken, 0);
}

int data__map_open(struct data__map *m, const char *path, struct err *err)
{
    *m = (struct data__map){.fd = -1};
    int rc = data__open_regular(path, &m->fd, &m->bytes, err);
    if (rc)
        return rc;
    data__map_arm();
    m->guard = take_guard();
    if (!m->guard) {
        close(m->fd);
        return err_set(err, -ENFILE, "%s: over %d files would be mapped at once", path, GUARDS_MAX);
    }
    void *data = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, m->fd, 0);
    if (data == MAP_FAILED) {
        rc = err_set_errno(err, -errno, "%s: mapping %zu bytes", path, m->bytes);
        data__map_close(m);
        return rc;
    }
    m->data = data;
    atomic_store(&m->guard->from, (uintptr_t)data);
    atomic_store(&m->guard->bytes, (m->bytes + page_bytes - 1) / page_bytes * page_bytes);
    return 0;
}

void data__map_close(struct data__map *m)
{
    if (m->data)
        munmap(m->data, m->bytes);
    if (m->guard) {
        give_guard(m->guard);
        close(m->fd);
    }
    *m = (struct data__map){0};
}

int data__map_whole(const struct data__map *m, const char *path, struct err *err)
{
    struct stat st;
    if (fstat(m->fd, &st))
        return err_set_errno(err, -errno, "%s", path);
    if ((size_t)st.st_size >= m->bytes && !atomic_load(&m->guard->cut))
        return 0;
    return err_set(err, -EBADMSG, "%s: offset %zu of %zu: the file was cut there while it was read", path,
                   (size_t)st.st_size, m->bytes);
}
