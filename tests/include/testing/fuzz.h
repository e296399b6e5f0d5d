/* What a fuzz target defines: libFuzzer calls it with inputs of its own making, replay.c with files. */
#ifndef TESTING_FUZZ_H
#define TESTING_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
