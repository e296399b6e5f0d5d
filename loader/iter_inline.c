/* Without workers: the consumer makes each batch itself when it asks for it. */
#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "iter.h"

static int make(struct loader_iter *it, uint32_t slot, struct err *err)
{
    unsigned char *at = shared_slot(it->layout, it->map, slot);
    struct slot_head *head = slot_head(at);
    struct loader__context *before = loader__context_enter(it->fetcher.context);
    fetch_batch(&it->fetcher, at);
    loader__context_enter(before);
    head->started_ns = it->call_ns;
    head->finished_ns = it->now_ns = clock_now_ns();
    it->waited_ns = it->now_ns - it->call_ns;
    it->stats.wait_ns[LOADER_WAIT_COMPUTE] += it->waited_ns;
    if (head->status >= 0)
        return 0;
    const struct err *told = slot_err(&it->layout->slot, at);
    err_set(err, told->code, "batch %" PRId64 " of '%s': %s", slot_task(&it->layout->slot, at)->number,
            it->l->cfg.dataset->name, told->text);
    return head->status;
}

int iter__next_inline(struct loader_iter *it, const struct batch **out, struct err *err)
{
    it->call_ns = it->now_ns = clock_now_ns();
    if (it->worker[0].ended)
        return iter__end(it, err);
    uint32_t slot = iter__take_free(it, -1);
    if (!iter__read_order(it, slot)) {
        iter__give_free(it, slot);
        return iter__end(it, err);
    }
    int rc = make(it, slot, err);
    struct slot_head *head = slot_head(shared_slot(it->layout, it->map, slot));
    if (head->status != SLOT_END)
        iter__note_answer(it, slot, -1);
    if (!rc && head->status != SLOT_END) {
        *out = iter__deliver(it, slot, -1);
        return 0;
    }
    iter__give_free(it, slot);
    if (rc)
        return rc;
    it->worker[0].ended = true;
    it->dropped += head->samples;
    return iter__end(it, err);
}
