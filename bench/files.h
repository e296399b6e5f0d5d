/* Whether the files that a command line names can be what it takes them for: looked at before anything is measured. */
#ifndef BENCH_FILES_H
#define BENCH_FILES_H

#include "bench/command.h"

/* Looks at all options that name a file (bench_option.file) and at the operands. Each file that will be written can be;
 * none of them is read too, is another one of them, or is a result, which is raw data; one at most goes to standard
 * output. Leaves nothing behind, and changes no file.
 * Errors: -EINVAL, -EEXIST or of the file, with a line that names the options and the file. */
int files_check(const struct bench_command *c, const void *settings, const struct bench_parsed *parsed,
                struct err *err);

#endif
