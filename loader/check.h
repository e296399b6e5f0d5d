/* What can be checked of a configuration before anything is started. */
#ifndef LOADER_CHECK_H
#define LOADER_CHECK_H

#include "loader/loader.h"

/* Errors: -EINVAL in the reference's words. */
int loader__check_config(const struct loader_config *cfg, struct err *err);

/* Is there room for so many bytes of shared memory? -ENOMEM with both numbers. */
int loader__check_room(size_t bytes, struct err *err);

/* As loader__check_room on a recorded machine: `root` stands before /proc and /sys. */
int loader__check_room_at(const char *root, size_t bytes, struct err *err);

/* CPUs this process may use (its affinity mask). */
int loader__cpus(void);

#endif
