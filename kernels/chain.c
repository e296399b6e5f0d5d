/* A chain: steps planned for one input shape, with a buffer between each two.
 *
 * Each step has an output buffer but the last, which writes to the caller's; so do steps before it when what follows
 * works in place. A step that takes f32 and is fed another type gets a conversion buffer in front. A step that is an affine
 * map of each value is joined to the one before when that can do it while it writes: this saves a pass over memory and
 * gives the same bits. When a sample of another shape comes, steps that it reaches in a shape they have not had lately are
 * planned anew; buffers only grow. */
#include "kernels/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum { STEPS_MAX = 32, STEP_TEXT = 600 };
enum { KEPT_MAX = 8 }; /* photos of a collection come in a few sizes, and planning costs as much as running */

struct buffer {
    void *data;
    size_t bytes;
};

struct step {
    const struct kernel *kernel;
    char text[STEP_TEXT]; /* as typed, for messages */
    struct kernel_value arg[KERNEL_ARGS_MAX];
    struct kernel_plan *plan[KEPT_MAX]; /* for the shapes it had last, the latest first */
    bool joined;                        /* does what the step behind it is, too */
    enum tensor_dtype fed;              /* dtype that comes in, before conversion */
    struct buffer converted, result;
    double owed; /* a kernel that repeats: the part of a run that is still to come */
};

struct kernel_chain {
    struct step step[STEPS_MAX];
    int steps;
    bool ready; /* all steps are planned for `in` */
    int direct; /* steps from this one on write to the caller's buffer: those behind it work in place */
    struct tensor_shape in, out;
    struct tensor_shape first_out; /* what kernel_chain_output promised */
    struct kernel_work work;
};

static int parse_steps(struct kernel_chain *c, const char *text, struct err *err)
{
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ",");
        if (c->steps == STEPS_MAX)
            return err_set(err, -EINVAL, "'%s' has more than %d kernels", text, STEPS_MAX);
        struct step *s = &c->step[c->steps++];
        if (n == 0 || n >= STEP_TEXT || (p[n] && !p[n + 1]))
            return err_set(err, -EINVAL, "'%s' is not a list of kernels (such as resize=224,normalize)",
                           text);
        memcpy(s->text, p, n);
        int rc = kernel_parse(s->text, &s->kernel, s->arg, err);
        if (rc)
            return rc;
        p += n + (p[n] != '\0');
    }
    return 0;
}

static void free_plan(const struct step *s, struct kernel_plan *plan)
{
    if (plan && s->kernel->free)
        s->kernel->free(plan->self);
    free(plan);
}

/* Moves plan i to the front. */
static void to_front(struct step *s, int i)
{
    struct kernel_plan *plan = s->plan[i];
    memmove(s->plan + 1, s->plan, (size_t)i * sizeof *s->plan);
    s->plan[0] = plan;
}

/* A new plan in front of the others; the oldest may go. */
static int make_plan(struct step *s, const struct tensor_shape *in, struct err *err)
{
    struct kernel_plan *plan = calloc(1, sizeof *plan);
    if (!plan)
        return err_set(err, -ENOMEM, "no memory for a plan");
    memcpy(plan->arg, s->arg, sizeof plan->arg);
    plan->in = *in;
    int rc = s->kernel->plan(plan, err);
    if (rc) {
        free(plan);
        return rc;
    }
    free_plan(s, s->plan[KEPT_MAX - 1]);
    s->plan[KEPT_MAX - 1] = plan;
    to_front(s, KEPT_MAX - 1);
    return 0;
}

static int find_plan(struct step *s, const struct tensor_shape *in, struct err *err)
{
    for (int i = 0; i < KEPT_MAX && s->plan[i]; i++)
        if (tensor_shape_equal(&s->plan[i]->in, in)) {
            to_front(s, i);
            return 0;
        }
    return make_plan(s, in, err);
}

static int grow(struct buffer *b, size_t bytes, struct err *err)
{
    if (bytes <= b->bytes)
        return 0;
    free(b->data);
    b->bytes = 0;
    b->data = kernel__alloc(bytes, 1);
    if (!b->data)
        return err_set(err, -ENOMEM, "no memory for %zu bytes between two kernels", bytes);
    b->bytes = bytes;
    return 0;
}

static int plan_step(struct step *s, const struct tensor_shape *in, bool last, struct err *err)
{
    struct tensor_shape shape = *in;
    s->fed = in->dtype;
    if (!s->kernel->any_dtype)
        shape.dtype = TENSOR_F32;
    int rc = find_plan(s, &shape, err);
    if (!rc && shape.dtype != s->fed)
        rc = grow(&s->converted, tensor_bytes(&shape), err);
    if (!rc && !last)
        rc = grow(&s->result, tensor_bytes(&s->plan[0]->out), err);
    return rc;
}

static void join_steps(struct kernel_chain *c)
{
    for (int i = 0; i < c->steps; i++) {
        struct step *s = &c->step[i];
        s->joined = s->kernel->then && i + 1 < c->steps && s[1].kernel->affine;
        s->plan[0]->then = s->joined ? s[1].kernel->affine(s[1].plan[0]) : NULL;
    }
}

static int plan_chain(struct kernel_chain *c, const struct tensor_shape *in, struct err *err)
{
    c->ready = false;
    c->in = c->out = *in;
    c->work = (struct kernel_work){0};
    for (int i = 0; i < c->steps; i++) {
        struct step *s = &c->step[i];
        int rc = plan_step(s, &c->out, i == c->steps - 1, err);
        if (rc) {
            err_prefix(err, "%s", s->text);
            return rc;
        }
        const struct kernel_plan *plan = s->plan[0];
        if (plan->in.dtype != s->fed)
            c->work.bytes += (double)tensor_bytes(&c->out) + (double)tensor_bytes(&plan->in);
        double times = s->kernel->repeats ? s->arg[0].real : 1;
        c->work.flops = times * c->work.flops + plan->work.flops;
        c->work.bytes = times * c->work.bytes + plan->work.bytes;
        c->out = plan->out;
    }
    if (c->steps == 0)
        c->work.bytes = 2 * (double)tensor_bytes(in);
    join_steps(c);
    c->direct = c->steps - 1;
    while (c->direct > 0 && c->step[c->direct].kernel->in_place && c->step[c->direct].fed == TENSOR_F32)
        c->direct--;
    c->ready = true;
    return 0;
}

int kernel_chain_create(const char *text, const struct tensor_shape *in, struct kernel_chain **out,
                        struct err *err)
{
    *out = NULL;
    struct kernel_chain *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, -ENOMEM, "no memory for a chain");
    int rc = parse_steps(c, text, err);
    if (!rc)
        rc = plan_chain(c, in, err);
    if (rc) {
        kernel_chain_destroy(c);
        return rc;
    }
    c->first_out = c->out;
    *out = c;
    return 0;
}

void kernel_chain_destroy(struct kernel_chain *c)
{
    if (!c)
        return;
    for (int i = 0; i < c->steps; i++) {
        for (int k = 0; k < KEPT_MAX; k++)
            free_plan(&c->step[i], c->step[i].plan[k]);
        free(c->step[i].converted.data);
        free(c->step[i].result.data);
    }
    free(c);
}

const struct tensor_shape *kernel_chain_output(const struct kernel_chain *c)
{
    return &c->first_out;
}

struct kernel_work kernel_chain_work(const struct kernel_chain *c)
{
    return c->work;
}

int kernel_chain_default_input(const char *text, struct tensor_shape *out, struct err *err)
{
    *out = (struct tensor_shape){0};
    struct kernel_chain *c = calloc(1, sizeof *c);
    if (!c)
        return err_set(err, -ENOMEM, "no memory for a chain");
    int rc = parse_steps(c, text, err);
    if (!rc && (c->steps == 0 || !c->step[0].kernel->default_input))
        rc = err_set(err, -ENODATA, "'%s' has no input shape of its own: name the data", text);
    if (!rc)
        c->step[0].kernel->default_input(c->step[0].arg, out);
    free(c);
    return rc;
}

static int run_steps(struct kernel_chain *c, int steps, const struct tensor *in, struct tensor *out,
                     struct counter_rng *rng, struct err *err);

/* Runs what is before step i once more for each time that it asks for, with this sample's draws: the result stays. */
static int run_again(struct kernel_chain *c, int i, const struct tensor *in, struct tensor *out,
                     const struct counter_rng *first, struct err *err)
{
    struct step *s = &c->step[i];
    int rc = 0;
    for (s->owed += s->arg[0].real - 1; !rc && s->owed >= 1; s->owed--) {
        struct counter_rng same = *first;
        rc = run_steps(c, i, in, out, &same, err);
    }
    return rc;
}

static int run_steps(struct kernel_chain *c, int steps, const struct tensor *in, struct tensor *out,
                     struct counter_rng *rng, struct err *err)
{
    struct counter_rng first = rng ? *rng : (struct counter_rng){0};
    const void *data = in->data;
    for (int i = 0; i < steps; i += 1 + c->step[i].joined) {
        struct step *s = &c->step[i];
        int rc = s->kernel->repeats ? run_again(c, i, in, out, &first, err) : 0;
        if (rc)
            return rc;
        if (s->plan[0]->in.dtype != s->fed) {
            kernel__convert(s->converted.data, data, s->fed, tensor_elements(&s->plan[0]->in));
            data = s->converted.data;
        }
        void *to = i >= c->direct ? out->data : s->result.data;
        rc = s->kernel->run(s->plan[0], data, to, rng, err);
        if (rc) {
            err_prefix(err, "%s", s->text);
            return rc;
        }
        data = to;
    }
    return 0;
}

int kernel_chain_run(struct kernel_chain *c, const struct tensor *in, struct tensor *out,
                     struct counter_rng *rng, struct err *err)
{
    if (!c->ready || !tensor_shape_equal(&c->in, &in->shape)) {
        int rc = plan_chain(c, &in->shape, err);
        if (rc)
            return rc;
    }
    if (tensor_bytes(&c->out) > tensor_bytes(&c->first_out)) {
        char is[TENSOR_TEXT], was[TENSOR_TEXT];
        return err_set(err, -ENOBUFS, "the result is %s, larger than the %s there is room for",
                       tensor_shape_format(is, &c->out), tensor_shape_format(was, &c->first_out));
    }
    int rc = run_steps(c, c->steps, in, out, rng, err);
    if (rc)
        return rc;
    if (c->steps == 0)
        memcpy(out->data, in->data, tensor_bytes(&c->in));
    out->shape = c->out;
    return 0;
}
