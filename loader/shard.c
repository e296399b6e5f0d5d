/* Shares of a stream. */
#include "loader/shard.h"

#include <string.h>

const char *const loader_shard_names[LOADER_SHARDS] = {"none", "stride", "contiguous"};

struct loader_range loader_shard_range(enum loader_shard how, int64_t start, int64_t end,
                                       const struct worker_info *info)
{
    struct loader_range r = {start, end, 1};
    if (!info || info->id < 0 || how == LOADER_SHARD_NONE)
        return r;
    if (how == LOADER_SHARD_STRIDE) {
        r.at += info->id;
        r.step = info->num_workers;
        return r;
    }
    int64_t total = end > start ? end - start : 0;
    int64_t each = total / info->num_workers + (total % info->num_workers != 0);
    r.at = each * info->id < total ? start + each * info->id : end;
    r.end = end - r.at > each ? r.at + each : end;
    return r;
}

/* The largest file that was not dealt yet (the lowest number among equals), after `last`. */
static size_t next_largest(size_t n, const int64_t *size_bytes, size_t last)
{
    size_t best = n;
    for (size_t i = 0; i < n; i++) {
        int after =
            last == n || size_bytes[i] < size_bytes[last] || (size_bytes[i] == size_bytes[last] && i > last);
        if (after && (best == n || size_bytes[i] > size_bytes[best]))
            best = i;
    }
    return best;
}

static int least_loaded(const int64_t *load, int workers)
{
    int best = 0;
    for (int w = 1; w < workers; w++)
        if (load[w] < load[best])
            best = w;
    return best;
}

static void insert_ascending(size_t *out, size_t n, size_t file)
{
    for (; n > 0 && out[n - 1] > file; n--)
        out[n] = out[n - 1];
    out[n] = file;
}

size_t loader_shard_files(size_t n, const int64_t *size_bytes, const struct worker_info *info,
                          int64_t *scratch, size_t *out)
{
    size_t mine = 0;
    int workers = info && info->id >= 0 ? info->num_workers : 1, id = workers > 1 ? info->id : 0;
    if (!size_bytes) {
        for (size_t i = (size_t)id; i < n; i += (size_t)workers)
            out[mine++] = i;
        return mine;
    }
    memset(scratch, 0, (size_t)workers * sizeof *scratch);
    size_t file = n;
    for (size_t dealt = 0; dealt < n; dealt++) {
        file = next_largest(n, size_bytes, file);
        int w = least_loaded(scratch, workers);
        scratch[w] += size_bytes[file];
        if (w == id)
            insert_ascending(out, mine++, file);
    }
    return mine;
}
