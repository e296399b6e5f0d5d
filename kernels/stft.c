/* Short-time Fourier transform as a product: frames (rows of a window each) times the DFT matrix, which carries a Hann
 * window. A mono channel; frames at the end that are not full are left out; a sample shorter than a window is one frame
 * filled up with zeros. */
#include <math.h>
#include <string.h>

#include "matrix.h"

static const struct kernel_arg args[] = {
    {.name = "frame",
     .kind = KERNEL_ARG_DIMS,
     .dims_max = 2,
     .min = 1,
     .max = 16384,
     .def = "400x160",
     .help = "WINDOWxHOP in samples (WINDOW alone: a hop of half of it)"},
};

static void frame_of(const struct kernel_value *arg, int64_t *window, int64_t *hop)
{
    *window = arg->dim[0];
    *hop = arg->count > 1 ? arg->dim[1] : (arg->dim[0] + 1) / 2;
}

/* Entry of the windowed DFT matrix: row t, column 2 bin (real) or 2 bin + 1 (imaginary). */
static double entry(int64_t window, int64_t t, int64_t column)
{
    double hann = 0.5 - 0.5 * cos(2 * M_PI * (double)t / (double)window);
    int64_t phase = t * (column / 2) % window; /* exact, so that a long window keeps its precision */
    double angle = 2 * M_PI * (double)phase / (double)window;
    return hann * (column % 2 ? -sin(angle) : cos(angle));
}

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t length, channels, window, hop;
    int rc = kernel__audio(p, &length, &channels, err);
    if (rc)
        return rc;
    if (channels != 1)
        return kernel__mismatch(p, "one channel of audio", err);
    frame_of(&p->arg[0], &window, &hop);
    int64_t frames = length < window ? 1 : 1 + (length - window) / hop, bins = window / 2 + 1;
    p->out = kernel__f32(3, frames, bins, 2);
    rc = kernel__matrix_create(p, (int64_t[]){frames, window, bins * 2}, 0, frames * window, err);
    if (rc)
        return rc;
    struct kernel__matrix *m = p->self;
    for (int64_t i = 0; i < window * bins * 2; i++)
        m->w[i] = (float)entry(window, i / (bins * 2), i % (bins * 2));
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct kernel__matrix *m = p->self;
    int64_t window, hop, have = p->in.dim[0];
    frame_of(&p->arg[0], &window, &hop);
    int64_t n = have < window ? have : window; /* what lies behind stays zero */
    for (int64_t i = 0; i < m->rows; i++)
        memcpy(m->scratch + i * window, (const float *)in + i * hop, (size_t)n * sizeof(float));
    kernel__matrix_product(m, m->scratch, 0, out);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    int64_t window, hop, columns = p->out.dim[1] * 2;
    frame_of(&p->arg[0], &window, &hop);
    for (int64_t i = 0; i < p->out.dim[0] * columns; i++) {
        double sum = 0, sum_abs = 0;
        for (int64_t t = 0; t < window; t++) {
            int64_t at = i / columns * hop + t;
            double product = at < p->in.dim[0] ? entry(window, t, i % columns) * tensor_get(in, at) : 0;
            sum += product;
            sum_abs += fabs(product);
        }
        out[i] = sum;
        bound[i] = kernel__dot_bound(window + 1, sum_abs); /* + 1: the matrix is rounded to float */
    }
}

static const struct kernel_case cases[] = {
    {"stft=1x1", "1"},    {"stft=16x7", "5:i16"}, {"stft=37x11", "101"},   {"stft=400", "1601:i16"},
    {"stft=2x3", "31x1"}, {"stft=AxB", "131"},    {"stft=A", "300x1:i16"},
};

const struct kernel kernel_stft = {
    .name = "stft",
    .help = "short-time Fourier transform, Hann window",
    .takes = "L or L x 1",
    .gives = "FRAMES x BINS x 2:f32",
    .formula = "Y[f,b] = sum over t of x[f hop + t] hann[t] exp(-2 pi i t b / window)",
    .source = "Allen, Rabiner, Proc. IEEE 65 (1977)",
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
