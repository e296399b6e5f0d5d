/* Mel cepstrum: the logarithm of band energies times a DCT matrix. Follows mel. */
#include <math.h>

#include "matrix.h"

static const float floor_energy = 1e-10F;

static const struct kernel_arg args[] = {
    {.name = "coefficients",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 1,
     .min = 1,
     .max = 1024,
     .def = "13",
     .help = "how many are kept; at most the number of bands"},
};

/* DCT-II, orthonormal: band m, coefficient c. */
static double entry(int64_t bands, int64_t m, int64_t c)
{
    int64_t phase = (2 * m + 1) * c % (4 * bands);
    return (c ? sqrt(2.0 / (double)bands) : sqrt(1.0 / (double)bands)) *
           cos(M_PI * (double)phase / (2 * (double)bands));
}

static int plan(struct kernel_plan *p, struct err *err)
{
    if (p->in.ndim != 2)
        return kernel__mismatch(p, "band energies FRAMES x BANDS", err);
    int64_t frames = p->in.dim[0], bands = p->in.dim[1], keep = p->arg[0].dim[0];
    if (keep > bands)
        return err_set(err, -EINVAL, "%lld coefficients are more than the %lld bands", (long long)keep,
                       (long long)bands);
    p->out = kernel__f32(2, frames, keep, 0);
    int rc = kernel__matrix_create(p, (int64_t[]){frames, bands, keep}, 0, frames * bands, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < bands * keep; i++)
        m->w[i] = (float)entry(bands, i / keep, i % keep);
    p->work.flops += (double)(frames * bands); /* a logarithm counts as one */
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    const float *x = in;
    for (int64_t i = 0; i < m->rows * m->k; i++)
        m->scratch[i] = logf(x[i] > floor_energy ? x[i] : floor_energy);
    kernel__matrix_product(m, m->scratch, 0, out);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < m->rows * m->n; i++) {
        double sum = 0, sum_abs = 0;
        for (int64_t k = 0; k < m->k; k++) {
            double energy = fmax((double)floor_energy, tensor_get(in, i / m->n * m->k + k));
            double product = log(energy) * entry(m->k, k, i % m->n);
            sum += product;
            sum_abs += fabs(product);
        }
        out[i] = sum;
        bound[i] = kernel__dot_bound(m->k + 3, sum_abs); /* + 3: logf is good to 2 U, the matrix is rounded */
    }
}

static const struct kernel_case cases[] = {
    {"mfcc=1", "1x1"},   {"mfcc=1", "7x31"}, {"mfcc=13", "3x80:u8"},
    {"mfcc=40", "5x40"}, {"mfcc=A", "BxA"},  {"mfcc=1", "AxB:u8"},
};

const struct kernel kernel_mfcc = {
    .name = "mfcc",
    .help = "mel cepstral coefficients of band energies",
    .takes = "FRAMES x BANDS",
    .gives = "FRAMES x COEFFICIENTS:f32",
    .formula = "Y = log(max(X, 1e-10)) D, D the DCT-II",
    .source = "Davis, Mermelstein, IEEE ASSP 28 (1980)",
    .blas = "sgemm",
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = kernel__matrix_free,
    .run = run,
    .reference = reference,
};
