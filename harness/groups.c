/* Groups of arms that are alive together, where not all fit at once.
 *
 * All groups run in every invocation, one after another, each with blocks of its own. The reference, the first arm of the
 * race, is in all of them: arms of different groups are compared through it, a / b = (a / reference) (reference / b), each
 * factor within the blocks of its group. The invocation stays the unit of inference, so that the noise of both factors is
 * in what the interval is made of. */
#include "session.h"

void session_group(struct session *s)
{
    int n = (int)s->nracing, most = s->r->together_max;
    s->together = n < 1 ? 1 : most >= 2 && most < n ? most : n;
    s->ngroups = n ? (int)stats_design_groups(s->nracing, (size_t)s->together, 0, s->group) : 0;
    for (int g = 0; g < s->ngroups; g++) {
        s->nalive[g] = 0;
        for (int k = 0; k < n; k++)
            if (k == 0 || s->group[k] == (size_t)g)
                s->alive[g * s->together + s->nalive[g]++] = s->racing[k];
    }
}

int session_block(const struct session *s, int group, int block, int invocation, struct session_block *out,
                  struct err *err)
{
    const int *arms = &s->alive[group * s->together];
    size_t n = (size_t)s->nalive[group], slots = stats_design_slots(n);
    int *order = calloc(slots, sizeof *order);
    *out = (struct session_block){.turn = calloc(slots, sizeof *out->turn),
                                  .slots = slots,
                                  .number = block ? group * s->blocks + block : 0};
    if (!order || !out->turn || stats_design_block(&s->design, invocation, block, arms, n, order)) {
        free(order);
        free(out->turn);
        out->turn = NULL;
        return err_set(err, -ENOMEM, "out of memory for a block");
    }
    for (size_t i = 0; i < slots; i++)
        while (arms[out->turn[i]] != order[i])
            out->turn[i]++;
    free(order);
    return 0;
}

size_t session_trials(const struct session *s)
{
    size_t n = 0;
    for (int g = 0; g < s->ngroups; g++)
        n += (size_t)s->nalive[g];
    return n;
}
