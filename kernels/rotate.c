/* Points times a rotation drawn for each sample: N x 3 times 3 x 3, as skinny as products get. */
#include <cblas.h>
#include <math.h>

#include "common.h"

static const char *const about[] = {"any", "z", NULL};
static const struct kernel_arg args[] = {
    {.name = "about",
     .kind = KERNEL_ARG_WORD,
     .words = about,
     .def = "any",
     .help = "any: uniform over all rotations; z: about the vertical"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    if (p->in.ndim != 2 || p->in.dim[1] != 3)
        return kernel__mismatch(p, "points N x 3", err);
    if (p->in.dim[0] > INT32_MAX)
        return err_set(err, -ERANGE, "%lld points are more than BLAS can count", (long long)p->in.dim[0]);
    p->out = p->in;
    p->work.flops = 18.0 * (double)p->in.dim[0];
    p->work.bytes = kernel__bytes(p, 0);
    return 0;
}

/* Shoemake's uniform quaternion (x, y, z, w) to a row-vector rotation matrix; about z: the same with x = y =
 * 0. */
static void draw(const struct kernel_plan *p, struct counter_rng *rng, double r[9])
{
    double x = 0, y = 0, z, w;
    double u = counter_rng_uniform(rng), a = 2 * M_PI * counter_rng_uniform(rng);
    double b = 2 * M_PI * counter_rng_uniform(rng);
    if (p->arg[0].word == 0) {
        x = sqrt(1 - u) * sin(a);
        y = sqrt(1 - u) * cos(a);
        z = sqrt(u) * sin(b);
        w = sqrt(u) * cos(b);
    } else {
        z = sin(b / 2);
        w = cos(b / 2);
    }
    double m[9] = {1 - 2 * (y * y + z * z), 2 * (x * y + z * w),     2 * (x * z - y * w),
                   2 * (x * y - z * w),     1 - 2 * (x * x + z * z), 2 * (y * z + x * w),
                   2 * (x * z + y * w),     2 * (y * z - x * w),     1 - 2 * (x * x + y * y)};
    for (int i = 0; i < 9; i++)
        r[i] = m[i];
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)err;
    double r[9];
    draw(p, rng, r);
    float w[9];
    for (int i = 0; i < 9; i++)
        w[i] = (float)r[i];
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (blasint)p->in.dim[0], 3, 3, 1, in, 3, w, 3, 0,
                out, 3);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    double r[9];
    draw(p, rng, r);
    const float *x = in->data;
    for (int64_t i = 0; i < p->in.dim[0]; i++)
        for (int64_t j = 0; j < 3; j++) {
            double sum = 0, sum_abs = 0;
            for (int64_t k = 0; k < 3; k++) {
                sum += x[i * 3 + k] * r[k * 3 + j];
                sum_abs += fabs(x[i * 3 + k] * r[k * 3 + j]);
            }
            out[i * 3 + j] = sum;
            bound[i * 3 + j] = kernel__dot_bound(3 + 1, sum_abs); /* + 1: the matrix is rounded to float */
        }
}

static const struct kernel_case cases[] = {
    {"rotate", "1x3"},
    {"rotate=z", "7x3"},
    {"rotate", "1023x3"},
    {"rotate", "Ax3"},
};

const struct kernel kernel_rotate = {
    .name = "rotate",
    .help = "point cloud times a random rotation",
    .takes = "N x 3",
    .gives = "N x 3:f32",
    .formula = "P' = P R, R uniform in SO(3)",
    .source = "Shoemake, Graphics Gems III (1992)",
    .blas = "sgemm",
    .random = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .run = run,
    .reference = reference,
};
