/* Where the pictures of a result go. */
#ifndef BENCH_PICTURES_H
#define BENCH_PICTURES_H

/* "dir/name.jsonl" -> "dir/name"; "name" -> "name.plots". A folder that is there already and holds something, but no
 * picture's script, is somebody else's (photos.jsonl beside photos/): then "dir/name.plots".
 * Owner: the caller, free. NULL when memory ran out. */
char *pictures_folder(const char *result);

#endif
