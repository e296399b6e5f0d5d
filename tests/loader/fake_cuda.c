/* Stands in for the accelerator's driver in test_pin: it counts what it is asked for and fails on demand, which a
 * real one does not. Built as libcuda.so.1 in a folder of its own. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *at);

/* What the test reads back: registered bytes now, contexts held now. */
long fake_cuda_registered_bytes, fake_cuda_contexts;

static void *registered_at;
static int context;

static int fails(const char *what)
{
    const char *wanted = getenv("FAKE_CUDA_FAILS");
    return wanted && !strcmp(wanted, what);
}

int cuInit(unsigned flags)
{
    return flags || fails("init") ? 100 : 0;
}

int cuDeviceGetCount(int *count)
{
    *count = fails("no device") ? 0 : 1;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDevicePrimaryCtxRetain(void **out, int device)
{
    (void)device;
    *out = &context;
    fake_cuda_contexts++;
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    fake_cuda_contexts--;
    return 0;
}

int cuCtxSetCurrent(void *given)
{
    return given == &context ? 0 : 201;
}

int cuMemHostRegister_v2(void *at, size_t bytes, unsigned flags)
{
    if (flags || fails("register"))
        return 2;
    registered_at = at;
    fake_cuda_registered_bytes += (long)bytes;
    return 0;
}

int cuMemHostUnregister(void *at)
{
    if (at != registered_at)
        return 1;
    fake_cuda_registered_bytes = 0;
    return 0;
}
