/* mlock, or CUDA's driver: libcuda is looked for when pinning is asked for, so nothing depends on it. The
 * functions' types are those of the driver's documented interface. */
#include "page_lock.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct driver {
    int (*init)(unsigned flags);
    int (*device_count)(int *count);
    int (*device_get)(int *device, int ordinal);
    int (*context_retain)(void **context, int device);
    int (*context_release)(int device);
    int (*context_use)(void *context);
    int (*host_register)(void *at, size_t bytes, unsigned flags);
    int (*host_unregister)(void *at);
};

struct page_lock {
    void *library; /* NULL = mlock */
    struct driver driver;
    int device;
    void *context;
    void *at;
    size_t bytes;
};

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol); /* ISO C has no cast from an object's to a function's pointer */
    return symbol != NULL;
}

static int load_driver(struct page_lock *lock, struct err *err)
{
    struct driver *d = &lock->driver;
    lock->library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!lock->library)
        return err_set(err, -ENOTSUP, "no accelerator: %s", dlerror());
    bool found = find(lock->library, "cuInit", &d->init) &&
                 find(lock->library, "cuDeviceGetCount", &d->device_count) &&
                 find(lock->library, "cuDeviceGet", &d->device_get) &&
                 find(lock->library, "cuDevicePrimaryCtxRetain", &d->context_retain) &&
                 find(lock->library, "cuDevicePrimaryCtxRelease_v2", &d->context_release) &&
                 find(lock->library, "cuCtxSetCurrent", &d->context_use) &&
                 find(lock->library, "cuMemHostRegister_v2", &d->host_register) &&
                 find(lock->library, "cuMemHostUnregister", &d->host_unregister);
    return found ? 0 : err_set(err, -ENOTSUP, "no accelerator: libcuda.so.1 lacks a function: %s", dlerror());
}

static int find_device(struct page_lock *lock, struct err *err)
{
    struct driver *d = &lock->driver;
    int devices = 0, code = d->init(0);
    if (!code)
        code = d->device_count(&devices);
    if (code || !devices)
        return err_set(err, -ENOTSUP, "no accelerator: libcuda.so.1 finds %d devices (code %d)", devices,
                       code);
    code = d->device_get(&lock->device, 0);
    if (!code)
        code = d->context_retain(&lock->context, lock->device);
    return code ? err_set(err, -ENOTSUP, "no accelerator: its context cannot be had (code %d)", code) : 0;
}

int page_lock_open(struct page_lock **out, enum loader_pin how, struct err *err)
{
    *out = NULL;
    struct page_lock *lock = calloc(1, sizeof *lock);
    if (!lock)
        return err_set(err, -ENOMEM, "no memory for the pin stage");
    int rc = how == LOADER_PIN_MLOCK ? 0 : load_driver(lock, err);
    if (!rc && how != LOADER_PIN_MLOCK)
        rc = find_device(lock, err);
    if (rc)
        page_lock_close(lock);
    else
        *out = lock;
    return rc;
}

static int lock_pages(void *at, size_t bytes, struct err *err)
{
    struct rlimit limit = {0};
    if (!mlock(at, bytes))
        return 0;
    getrlimit(RLIMIT_MEMLOCK, &limit);
    return err_set_errno(err, -ENOMEM, "cannot lock %zu bytes, the limit is %llu (ulimit -l, in KiB)", bytes,
                         (unsigned long long)limit.rlim_cur);
}

int page_lock_take(struct page_lock *lock, void *at, size_t bytes, struct err *err)
{
    int rc = 0;
    if (!lock->library) {
        rc = lock_pages(at, bytes, err);
    } else {
        int code = lock->driver.context_use(lock->context);
        if (!code)
            code = lock->driver.host_register(at, bytes, 0);
        if (code)
            rc = err_set(err, -EIO, "device %d cannot register %zu bytes (code %d)", lock->device, bytes,
                         code);
    }
    if (!rc) {
        lock->at = at;
        lock->bytes = bytes;
    }
    return rc;
}

void page_lock_close(struct page_lock *lock)
{
    if (!lock)
        return;
    if (lock->at && lock->library)
        lock->driver.host_unregister(lock->at);
    else if (lock->at)
        munlock(lock->at, lock->bytes);
    if (lock->context)
        lock->driver.context_release(lock->device);
    if (lock->library)
        dlclose(lock->library);
    free(lock);
}
