/* Which build this program is. */
#ifndef BENCH_BUILD_ID_H
#define BENCH_BUILD_ID_H

#include <stddef.h>

enum { BUILD_ID_TEXT = 2 * 64 + 1 };

/* The linker's build id as hex: a hash of the program's contents. "" when it has none. Returns out. */
char *build_id(char out[BUILD_ID_TEXT]);

#endif
