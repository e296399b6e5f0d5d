/* Colour spaces: each pixel times a 3 x 3 matrix, plus an offset. Values are 0 to 255. */
#include <math.h>

#include "common.h"

struct space {
    double m[3][3], offset_in[3], offset_out[3]; /* out = m (in - offset_in) + offset_out */
};

enum { SPACE_YCBCR, SPACE_RGB, SPACE_GRAY };

static const char *const spaces[] = {
    [SPACE_YCBCR] = "ycbcr", [SPACE_RGB] = "rgb", [SPACE_GRAY] = "gray", NULL};
static const struct space space[] = {
    [SPACE_YCBCR] = {.m = {{0.299, 0.587, 0.114},
                           {-0.168735892, -0.331264108, 0.5},
                           {0.5, -0.418687589, -0.081312411}},
                     .offset_out = {0, 128, 128}},
    [SPACE_RGB] = {.m = {{1, 0, 1.402}, {1, -0.344136286, -0.714136286}, {1, 1.772, 0}},
                   .offset_in = {0, 128, 128}},
    [SPACE_GRAY] = {.m = {{0.299, 0.587, 0.114}, {0.299, 0.587, 0.114}, {0.299, 0.587, 0.114}}},
};
static const struct kernel_arg args[] = {
    {.name = "to",
     .kind = KERNEL_ARG_WORD,
     .words = spaces,
     .def = "ycbcr",
     .help = "ycbcr and gray take RGB; rgb takes YCbCr"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    if (p->in.ndim != 3 || p->in.dim[2] != 3)
        return kernel__mismatch(p, "an image H x W x 3", err);
    p->out = p->in;
    p->work.flops = 18.0 * (double)(p->in.dim[0] * p->in.dim[1]);
    p->work.bytes = kernel__bytes(p, 12);
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct space *s = &space[p->arg[0].word];
    const float *x = in;
    float *y = out;
    float m[9], b[3];
    for (int i = 0; i < 3; i++) {
        double offset = s->offset_out[i];
        for (int j = 0; j < 3; j++) {
            m[i * 3 + j] = (float)s->m[i][j];
            offset -= s->m[i][j] * s->offset_in[j];
        }
        b[i] = (float)offset;
    }
    for (int64_t i = 0; i < p->in.dim[0] * p->in.dim[1]; i++, x += 3, y += 3) {
        float u = x[0], v = x[1], w = x[2]; /* y may be x */
        y[0] = m[0] * u + m[1] * v + m[2] * w + b[0];
        y[1] = m[3] * u + m[4] * v + m[5] * w + b[1];
        y[2] = m[6] * u + m[7] * v + m[8] * w + b[2];
    }
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct space *s = &space[p->arg[0].word];
    const float *x = in->data;
    for (int64_t i = 0; i < tensor_elements(&p->in); i++) {
        int64_t pixel = i / 3 * 3, c = i % 3;
        double sum = s->offset_out[c], sum_abs = fabs(s->offset_out[c]);
        for (int j = 0; j < 3; j++) {
            sum += s->m[c][j] * (x[pixel + j] - s->offset_in[j]);
            sum_abs += fabs(s->m[c][j] * x[pixel + j]) + fabs(s->m[c][j] * s->offset_in[j]);
        }
        out[i] = sum;
        bound[i] = kernel__dot_bound(4 + 1, sum_abs); /* + 1: the matrix is rounded to float */
    }
}

static const struct kernel_case cases[] = {
    {"color", "1x1x3:u8"},
    {"color=rgb", "7x11x3:u8"},
    {"color=gray", "1x31x3"},
    {"color=to=ycbcr", "AxBx3"},
};

const struct kernel kernel_color = {
    .name = "color",
    .help = "colour space, 3 x 3 for each pixel",
    .takes = "H x W x 3",
    .gives = "H x W x 3:f32",
    .formula = "y = M (x - o) + p",
    .source = "ITU-T T.871 (JFIF), section 7",
    .blas = "none: with K = 3 the call costs more than the three products it makes",
    .in_place = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .run = run,
    .reference = reference,
};
