/* Going on with a session that was stopped: what its header says of how it was begun, and whether it can go on here. */
#ifndef BENCH_RESUME_H
#define BENCH_RESUME_H

#include "measure.h"

/* How this session is begun, for the header: command, build, kept options, data. The caller frees; NULL when memory ran
 * out. */
char *resume_session_text(const struct measure *m, const struct bench_io *io);

/* Goes on with the session in m->set.resume as it was begun, and closes m. Returns an enum bench_exit: USAGE when the file
 * is none that can go on or the command line says otherwise than it does, UNFIT when this is not where it was begun
 * (build, machine, data); the file is left as it is then. */
int resume_run(struct measure *m, const struct bench_io *io, struct err *err);

/* Appends to an error that ended a session by which command it goes on. */
void resume_hint(const char *path, const struct bench_io *io, struct err *err);

#endif
