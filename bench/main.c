/* The program loaderbench. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench/command.h"

enum { OUTPUT_BYTES = 1 << 18 };

/* A standard stream that came closed would be given away to the next file that is opened: a result file would
 * get our messages. It is opened the wrong way round, so that using it still fails. */
static int keep_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    if (keep_standard_streams())
        return BENCH_EXIT_FAILED;
    /* Written at the end, in one go: only then the reason of a failure is still known when it is told. */
    setvbuf(stdout, malloc(OUTPUT_BYTES), _IOFBF, OUTPUT_BYTES);
    setenv("HWLOC_HIDE_ERRORS", "2", 0); /* what it has to say of a file comes as our one line */
    bench_stop_on_signals();
    return bench_dispatch(argc, argv, stdout, stderr);
}
