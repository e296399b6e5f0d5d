/* Drawing plans without running anything. */
#include "layout.h"

#include "harness/placement.h"

static int draw_one(const struct layout_ask *ask, const struct harness_topology *t, const char *affinity,
                    struct text *out, struct err *err)
{
    struct harness_placement p;
    const struct harness_placement_ask want = {.affinity = affinity,
                                               .workers = ask->workers,
                                               .threads = ask->threads,
                                               .reserve_main = ask->reserve_main};
    int rc = harness_placement_plan(t, &want, &p, err);
    if (rc)
        return rc;
    text_add(out, out->len ? "\n" : "");
    text_sayf(out, "%s:\n", affinity);
    harness_placement_draw(t, &p, out);
    harness_placement_fini(&p);
    return 0;
}

int layout_draw(const struct layout_ask *ask, struct text *out, struct err *err)
{
    struct harness_topology t;
    int rc = ask->topology ? harness_topology_parse(ask->topology, ask->allowed, &t, err)
                           : harness_topology_load(&t, err);
    if (rc)
        return rc;
    if (ask->workers)
        text_sayf(out, "%d worker%s of %d thread%s on %d CPUs\n", ask->workers, ask->workers == 1 ? "" : "s",
                  ask->threads, ask->threads == 1 ? "" : "s", t.ncpus);
    else
        text_sayf(out, "the main process with %d thread%s on %d CPUs\n", ask->threads,
                  ask->threads == 1 ? "" : "s", t.ncpus);
    for (size_t i = 0; !rc && i < ask->affinity->n; i++)
        rc = draw_one(ask, &t, ask->affinity->item[i], out, err);
    for (int i = 0; !rc && !ask->affinity->n && harness_policies[i]; i++)
        rc = draw_one(ask, &t, harness_policies[i]->name, out, err);
    harness_topology_fini(&t);
    return rc;
}
