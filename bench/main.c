/* The program loaderbench. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/command.h"
#include "kernels/blas.h"

enum { OUTPUT_BYTES = 1 << 18, MIB = 1 << 20, BLAS_BUFFER_MIB = 128 };

/* A standard stream that came closed would be given away to the next file that is opened: a result file would
 * get our messages. It is opened the wrong way round, so that using it still fails. */
static int keep_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            return -1;
    return 0;
}

/* Each thread of OpenBLAS takes a buffer. Those of the pool are made when the program is loaded: where there is no room they
 * try for ever, and so would the end of the program, which waits for them; hence _exit. */
static void check_address_space(void)
{
    struct kernel_blas_info blas;
    struct rlimit limit;
    kernel_blas_info(&blas);
    rlim_t need_mib = (rlim_t)(blas.threads + 1) * BLAS_BUFFER_MIB;
    if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur / MIB >= need_mib)
        return;
    fprintf(
        stderr,
        "loaderbench: the limit of the address space (ulimit -v) is %llu MiB, and the BLAS with %d thread%s "
        "takes %llu MiB: raise it, or set OPENBLAS_NUM_THREADS\n",
        (unsigned long long)(limit.rlim_cur / MIB), blas.threads, blas.threads == 1 ? "" : "s",
        (unsigned long long)need_mib);
    _exit(BENCH_EXIT_FAILED);
}

int main(int argc, char **argv)
{
    if (keep_standard_streams())
        return BENCH_EXIT_FAILED;
    check_address_space();
    /* Written at the end, in one go: only then the reason of a failure is still known when it is told. */
    setvbuf(stdout, malloc(OUTPUT_BYTES), _IOFBF, OUTPUT_BYTES);
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* what it has to say of a file comes as our one line */
    bench_stop_on_signals();
    return bench_dispatch(argc, argv, stdout, stderr);
}
