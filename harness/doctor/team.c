/* A team: threads, a starting line, and the clock around each one's work. */
#include "team.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

enum { WAITING, GO, GO_HOME };

struct team {
    const struct doctor *d;
    const int *order;
    team_work *work;
    void *arg;
    double *ns;
    atomic_int ready, gate;
};

struct member {
    struct team *team;
    pthread_t thread;
    int index;
    bool bound;
};

static void *member_main(void *arg)
{
    struct member *m = arg;
    struct team *t = m->team;
    m->bound = doctor_bind(t->d, t->order[m->index]);
    atomic_fetch_add(&t->ready, 1);
    int gate;
    while ((gate = atomic_load(&t->gate)) == WAITING)
        sched_yield(); /* the next member may have to get ready on this CPU */
    if (gate == GO_HOME)
        return NULL;
    uint64_t from = clock_now_ns();
    t->work(t->arg, m->index);
    t->ns[m->index] = (double)(clock_now_ns() - from);
    return NULL;
}

bool team_run(const struct doctor *d, const int *order, int n, team_work *work, void *arg, double *ns)
{
    struct team team = {.d = d, .order = order, .work = work, .arg = arg, .ns = ns};
    struct member *member = calloc((size_t)n, sizeof *member);
    int started = 0;
    for (; member && started < n; started++) {
        member[started] = (struct member){.team = &team, .index = started};
        if (pthread_create(&member[started].thread, NULL, member_main, &member[started]))
            break;
    }
    while (started == n && atomic_load(&team.ready) < n)
        clock_sleep_ns(50000);
    atomic_store(&team.gate, started == n ? GO : GO_HOME);
    bool good = started == n;
    for (int i = 0; i < started; i++) {
        pthread_join(member[i].thread, NULL);
        good = good && member[i].bound;
    }
    free(member);
    return good;
}
