/* Which commit the working folder stands at: what a result is filed under in a history. */
#ifndef BENCH_COMMIT_H
#define BENCH_COMMIT_H

/* "3ac6ba1f0c2d", with "-dirty" behind it when tracked files were changed; NULL when this is no git checkout or there
 * is no git. The caller frees. */
char *commit_now(void);

#endif
