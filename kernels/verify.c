/* Runs a kernel and its reference on the same sample and compares each element with its own bound. */
#include "kernels/verify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

enum {
    LETTERS = 4,
    LETTER_MAX = 48,
    ROUNDS_DEFAULT = 8,
    CASE_TEXT = 128,
    GUARD_BYTES = 64,
    GUARD_BYTE = 0xA5
};

struct trial {
    const struct kernel *kernel;
    struct kernel_plan plan;
    char text[CASE_TEXT], shape[CASE_TEXT];
    struct tensor drawn, in, out; /* drawn: before conversion to f32 */
    double *want, *bound;
};

static bool has_letters(const char *text)
{
    return strpbrk(text, "ABCD") != NULL;
}

/* Puts numbers in place of the letters. */
static void fill_in(char out[CASE_TEXT], const char *text, const uint32_t value[LETTERS])
{
    size_t n = 0;
    for (; *text && n + 12 < CASE_TEXT; text++)
        if (*text >= 'A' && *text < 'A' + LETTERS)
            n += (size_t)snprintf(out + n, CASE_TEXT - n, "%" PRIu32, value[*text - 'A']);
        else
            out[n++] = *text;
    out[n] = '\0';
}

/* Values as they come in practice: pixels 0 to 255, samples of sound over their range, reals in [-1, 1). */
static void fill_input(struct tensor *t, struct counter_rng *rng)
{
    for (int64_t i = 0; i < tensor_elements(&t->shape); i++) {
        uint32_t u = counter_rng_u32(rng);
        switch (t->shape.dtype) {
        case TENSOR_F32:
            ((float *)t->data)[i] = (float)(int32_t)u * 0x1p-31F;
            break;
        case TENSOR_U8:
            ((uint8_t *)t->data)[i] = (uint8_t)(u >> 24);
            break;
        case TENSOR_I16:
            ((int16_t *)t->data)[i] = (int16_t)(u >> 16);
            break;
        case TENSOR_F64:
            ((double *)t->data)[i] = (double)(int32_t)u * 0x1p-31;
            break;
        }
    }
}

static int prepare(struct trial *t, struct counter_rng *rng, struct err *err)
{
    const struct kernel *found;
    int rc = kernel_parse(t->text, &found, t->plan.arg, err);
    if (!rc)
        rc = tensor_shape_parse(t->text, t->shape, &t->drawn.shape, err);
    if (rc)
        return rc;
    t->plan.in = t->drawn.shape;
    if (!t->kernel->any_dtype)
        t->plan.in.dtype = TENSOR_F32;
    rc = t->kernel->plan(&t->plan, err);
    if (rc)
        return rc;
    size_t n = (size_t)tensor_elements(&t->plan.out);
    t->drawn.data = kernel__alloc(tensor_bytes(&t->drawn.shape), 1);
    t->in = (struct tensor){t->plan.in, kernel__alloc(tensor_bytes(&t->plan.in), 1)};
    t->out = (struct tensor){t->plan.out, kernel__alloc(tensor_bytes(&t->plan.out) + GUARD_BYTES, 1)};
    t->want = kernel__alloc(n, sizeof(double));
    t->bound = kernel__alloc(n, sizeof(double));
    if (!t->drawn.data || !t->in.data || !t->out.data || !t->want || !t->bound)
        return kernel__no_memory(err);
    fill_input(&t->drawn, rng);
    if (t->kernel->any_dtype)
        memcpy(t->in.data, t->drawn.data, tensor_bytes(&t->plan.in));
    else
        kernel__convert(t->in.data, t->drawn.data, t->drawn.shape.dtype, tensor_elements(&t->plan.in));
    return 0;
}

static void finish(struct trial *t)
{
    if (t->kernel->free)
        t->kernel->free(t->plan.self);
    free(t->drawn.data);
    free(t->in.data);
    free(t->out.data);
    free(t->want);
    free(t->bound);
}

static void note(struct kernel_verdict *v, const struct trial *t, int64_t i, double got)
{
    char shape[TENSOR_TEXT];
    v->error = fabs(got - t->want[i]);
    v->tolerance = t->bound[i];
    snprintf(v->where, sizeof v->where, "%.40s on %.40s, element %" PRId64 ": %.9g, expected %.9g", t->text,
             tensor_shape_format(shape, &t->plan.in), i, got, t->want[i]);
}

static void compare(struct kernel_verdict *v, const struct trial *t)
{
    for (int64_t i = 0; i < tensor_elements(&t->plan.out); i++) {
        double got = tensor_get(&t->out, i);
        double error = fabs(got - t->want[i]);
        double ratio = error == 0 ? 0 : error / t->bound[i];
        bool bad = !(ratio <= 1); /* NaN is bad too */
        if (bad && isnan(ratio))
            ratio = INFINITY;
        if (v->where[0] && ratio <= v->ratio)
            continue;
        note(v, t, i, got);
        v->ratio = ratio;
        v->wrong = v->wrong || bad;
    }
    const unsigned char *guard = (const unsigned char *)t->out.data + tensor_bytes(&t->plan.out);
    for (int i = 0; i < GUARD_BYTES; i++)
        if (guard[i] != GUARD_BYTE && !v->wrong) {
            v->wrong = true;
            v->ratio = INFINITY;
            snprintf(v->where, sizeof v->where, "%.40s writes behind its result", t->text);
        }
}

static int run_trial(struct trial *t, struct counter_rng *rng, struct kernel_verdict *v, struct err *err)
{
    int rc = prepare(t, rng, err);
    if (!rc) {
        struct counter_rng mine = *rng, same = *rng;
        memset(t->out.data, 0xFF, tensor_bytes(&t->plan.out)); /* NaN where nothing is written */
        memset((char *)t->out.data + tensor_bytes(&t->plan.out), GUARD_BYTE, GUARD_BYTES);
        rc = t->kernel->run(&t->plan, t->in.data, t->out.data, &mine, err);
        if (!rc) {
            t->kernel->reference(&t->plan, &t->in, t->want, t->bound, &same);
            compare(v, t);
            v->shapes++;
        }
    }
    if (rc)
        err_prefix(err, "%s on %s", t->text, t->shape);
    finish(t);
    return rc;
}

int kernel_verify(const struct kernel *k, const struct kernel_verify_options *opt, struct kernel_verdict *out,
                  struct err *err)
{
    *out = (struct kernel_verdict){.kernel = k->name};
    int rounds = opt->rounds ? opt->rounds : ROUNDS_DEFAULT;
    for (int c = 0; c < k->cases_n; c++) {
        bool random = has_letters(k->cases[c].text) || has_letters(k->cases[c].shape);
        for (int round = 0; round < (random ? rounds : 1); round++) {
            struct counter_rng rng;
            counter_rng_init(&rng, opt->seed, (uint64_t)c, (uint64_t)round);
            uint32_t value[LETTERS];
            for (int i = 0; i < LETTERS; i++)
                value[i] = 1 + counter_rng_below(&rng, LETTER_MAX);
            struct trial t = {.kernel = k};
            fill_in(t.text, k->cases[c].text, value);
            fill_in(t.shape, k->cases[c].shape, value);
            int rc = run_trial(&t, &rng, out, err);
            if (rc)
                return rc;
        }
    }
    return 0;
}
