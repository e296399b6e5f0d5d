/* Mel filterbank: a power spectrum times triangles that are evenly spaced on the mel scale. */
#include <math.h>

#include "matrix.h"

enum { ARG_BANDS, ARG_RATE };

static const struct kernel_arg args[] = {
    [ARG_BANDS] = {.name = "bands",
                   .kind = KERNEL_ARG_DIMS,
                   .dims_max = 1,
                   .min = 1,
                   .max = 1024,
                   .def = "80",
                   .help = "triangles"},
    [ARG_RATE] = {.name = "rate",
                  .kind = KERNEL_ARG_REAL,
                  .min = 1,
                  .max = 1e6,
                  .def = "16000",
                  .help = "samples per second of the sound"},
};

static double mel_of_hz(double hz)
{
    return 2595 * log10(1 + hz / 700);
}

static double hz_of_mel(double mel)
{
    return 700 * (pow(10, mel / 2595) - 1);
}

/* Triangle `band` of `bands` at spectrum bin `bin` of `bins`: 0 Hz to half the rate. */
static double entry(const struct kernel_plan *p, int64_t bins, int64_t bin, int64_t band)
{
    double half = p->arg[ARG_RATE].real / 2, top = mel_of_hz(half), bands = (double)p->arg[ARG_BANDS].dim[0];
    double low = hz_of_mel(top * (double)band / (bands + 1)),
           mid = hz_of_mel(top * (double)(band + 1) / (bands + 1));
    double high = hz_of_mel(top * (double)(band + 2) / (bands + 1));
    double hz = bins > 1 ? half * (double)bin / (double)(bins - 1) : 0;
    return fmax(0, fmin((hz - low) / (mid - low), (high - hz) / (high - mid)));
}

static int plan(struct kernel_plan *p, struct err *err)
{
    bool complex = p->in.ndim == 3 && p->in.dim[2] == 2;
    if (p->in.ndim != 2 && !complex)
        return kernel__mismatch(p, "a spectrum FRAMES x BINS (power) or FRAMES x BINS x 2 (complex)", err);
    int64_t frames = p->in.dim[0], bins = p->in.dim[1], bands = p->arg[ARG_BANDS].dim[0];
    p->out = kernel__f32(2, frames, bands, 0);
    int rc = kernel__matrix_create(p, (int64_t[]){frames, bins, bands}, 0, frames * bins, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < bins * bands; i++)
        m->w[i] = (float)entry(p, bins, i / bands, i % bands);
    p->work.flops += complex ? 3.0 * (double)(frames * bins) : 0;
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    const float *x = in;
    if (p->in.ndim == 3) {
        for (int64_t i = 0; i < m->rows * m->k; i++)
            m->scratch[i] = x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1];
        x = m->scratch;
    }
    kernel__matrix_product(m, x, 0, out);
    return 0;
}

static double power(const struct kernel_plan *p, const struct tensor *in, int64_t i)
{
    if (p->in.ndim == 2)
        return tensor_get(in, i);
    double re = tensor_get(in, 2 * i), im = tensor_get(in, 2 * i + 1);
    return re * re + im * im;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    const struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < m->rows * m->n; i++) {
        double sum = 0, sum_abs = 0;
        for (int64_t k = 0; k < m->k; k++) {
            double product = power(p, in, i / m->n * m->k + k) * entry(p, m->k, k, i % m->n);
            sum += product;
            sum_abs += fabs(product);
        }
        out[i] = sum;
        bound[i] =
            kernel__dot_bound(m->k + 3, sum_abs); /* + 3: the matrix, two squares and their sum are rounded */
    }
}

static const struct kernel_case cases[] = {
    {"mel=1", "1x1"},     {"mel=7", "3x17x2"}, {"mel=80:rate=44100", "2x201"},
    {"mel=A", "Bx101x2"}, {"mel=A", "BxC"},
};

const struct kernel kernel_mel = {
    .name = "mel",
    .help = "mel filterbank of a spectrum",
    .takes = "FRAMES x BINS (power) or FRAMES x BINS x 2 (complex)",
    .gives = "FRAMES x BANDS:f32",
    .formula = "Y = |X|^2 T, triangles even in 2595 log10(1 + f / 700)",
    .source = "O'Shaughnessy 1987; Davis, Mermelstein, IEEE ASSP 28 (1980)",
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
