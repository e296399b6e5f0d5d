/* Explicit lists of CPUs. The grammar is LIKWID's ("thread domains" in its documentation), with plain numbers beside:
 *   list = chunk { "@" chunk }      chunk = [ domain ":" ] range { "," range }      range = number [ "-" number ]
 *   domain = "N" | "S" number | "C" number | "M" number */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "harness/placement.h"

/* A list under construction. */
struct listing {
    const struct harness_topology *t;
    const char *text, *at; /* the whole, and what is still to be read */
    int *order, n;
    int *domain,
        ndomain; /* positions of the domain in hand; ndomain -1: numbers are the operating system's */
};

bool harness_is_cpu_list(const char *text)
{
    return isdigit((unsigned char)*text) || (strchr("NSCM", *text) && *text && strchr(text, ':'));
}

static int bad(const struct listing *l, struct err *err)
{
    return err_set(err, -EINVAL, "'%s' is not a list of CPUs (such as 0,2,4-7 or S0:0-3)", l->text);
}

static int read_number(struct listing *l, int *out, struct err *err)
{
    char *end;
    if (!isdigit((unsigned char)*l->at))
        return bad(l, err);
    long n = strtol(l->at, &end, 10);
    l->at = end;
    *out = n > INT_MAX ? INT_MAX : (int)n;
    return 0;
}

static int rank_in(const struct harness_cpu *c, char kind)
{
    return kind == 'S' ? c->package : kind == 'C' ? c->l3 : kind == 'M' ? c->numa : 0;
}

/* First hardware threads of the domain's cores, then the second ones. */
static void list_domain(struct listing *l, char kind, int rank)
{
    l->ndomain = 0;
    for (int smt = 0, seen = 0; seen < l->t->ncpus; smt++)
        for (int i = 0; i < l->t->ncpus; i++)
            if (l->t->cpu[i].smt == smt) {
                seen++;
                if (rank_in(&l->t->cpu[i], kind) == rank)
                    l->domain[l->ndomain++] = i;
            }
}

static int read_domain(struct listing *l, struct err *err)
{
    char kind = *l->at;
    int rank = 0;
    l->ndomain = -1;
    if (!isalpha((unsigned char)kind))
        return 0;
    if (!strchr("NSCM", kind))
        return bad(l, err);
    l->at++;
    int rc = kind == 'N' ? 0 : read_number(l, &rank, err);
    if (!rc && *l->at++ != ':')
        rc = bad(l, err);
    if (rc)
        return rc;
    list_domain(l, kind, rank);
    return l->ndomain ? 0 : err_set(err, -EINVAL, "'%s': there is no domain %c%d here", l->text, kind, rank);
}

static int position_of(const struct listing *l, int number)
{
    if (l->ndomain >= 0)
        return number < l->ndomain ? l->domain[number] : -1;
    for (int i = 0; i < l->t->ncpus; i++)
        if (l->t->cpu[i].os == number)
            return i;
    return -1;
}

static int refuse(const struct listing *l, int number, struct err *err)
{
    hwloc_bitmap_t usable = hwloc_bitmap_alloc();
    char *list = NULL;
    for (int i = 0; usable && i < l->t->ncpus; i++)
        hwloc_bitmap_set(usable, (unsigned)l->t->cpu[i].os);
    if (usable)
        hwloc_bitmap_list_asprintf(&list, usable);
    int rc = err_set(err, -EINVAL, "'%s': CPU %d is not there, or not for this process (it may use %s)",
                     l->text, number, list ? list : "others");
    free(list);
    hwloc_bitmap_free(usable);
    return rc;
}

static int add(struct listing *l, int number, struct err *err)
{
    int position = position_of(l, number);
    if (position < 0 && l->ndomain >= 0)
        return err_set(err, -EINVAL, "'%s': the domain has %d CPUs, none of number %d", l->text, l->ndomain,
                       number);
    if (position < 0)
        return refuse(l, number, err);
    for (int i = 0; i < l->n; i++)
        if (l->order[i] == position)
            return err_set(err, -EINVAL, "'%s': CPU %d is named twice", l->text, l->t->cpu[position].os);
    l->order[l->n++] = position;
    return 0;
}

static int read_range(struct listing *l, struct err *err)
{
    int from = 0, to, rc = read_number(l, &from, err);
    to = from;
    if (!rc && *l->at == '-') {
        l->at++;
        rc = read_number(l, &to, err);
        if (!rc && to < from)
            rc = err_set(err, -EINVAL, "'%s': the range %d-%d runs backwards", l->text, from, to);
    }
    for (int i = from; !rc; i++) {
        rc = add(l, i, err);
        if (i == to)
            break;
    }
    return rc;
}

static int read_chunk(struct listing *l, struct err *err)
{
    int rc = read_domain(l, err);
    for (bool more = true; !rc && more;) {
        rc = read_range(l, err);
        more = *l->at == ',';
        l->at += !rc && more;
    }
    return rc;
}

int harness_cpu_list(const struct harness_topology *t, const char *text, int *order, int *n, struct err *err)
{
    struct listing l = {.t = t, .text = text, .at = text, .order = order};
    l.domain = calloc((size_t)t->ncpus, sizeof *l.domain);
    int rc = l.domain ? 0 : err_set(err, -ENOMEM, "out of memory for a list of CPUs");
    for (bool more = true; !rc && more;) {
        rc = read_chunk(&l, err);
        more = *l.at == '@';
        l.at += !rc && more;
    }
    if (!rc && *l.at)
        rc = bad(&l, err);
    free(l.domain);
    *n = rc ? 0 : l.n;
    return rc;
}

/* Without a machine: every CPU a list could name is there, so only its form can be wrong. */
int harness_affinity_check(const char *affinity, struct err *err)
{
    const struct harness_policy *policy;
    if (!harness_is_cpu_list(affinity))
        return harness_policy_find(affinity, &policy, err);
    const char *last = affinity + strlen(affinity) - 1;
    if (!isdigit((unsigned char)*last) || strspn(affinity, "0123456789,-@:NSCM") != strlen(affinity))
        return err_set(err, -EINVAL, "'%s' is not a list of CPUs (such as 0,2,4-7 or S0:0-3)", affinity);
    return 0;
}
