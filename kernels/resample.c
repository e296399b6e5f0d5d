/* Sample rate conversion by L / M: a bank of L windowed-sinc filters, one for each phase of the output.
 * Output i is at input position i M / L; its filter reaches ZEROS zero crossings either way. */
#include <math.h>
#include <stdlib.h>

#include "common.h"

enum { ARG_TO, ARG_FROM, ZEROS = 8 };

struct bank {
    int64_t up, down; /* L, M without common factors */
    int64_t half;     /* taps either way; a filter has 2 half + 1 */
    float *tap;       /* [up][2 half + 1] */
};

static const struct kernel_arg args[] = {
    [ARG_TO] = {.name = "to",
                .kind = KERNEL_ARG_DIMS,
                .dims_max = 1,
                .min = 1,
                .max = 1000000,
                .def = "16000",
                .help = "samples per second that come out"},
    [ARG_FROM] = {.name = "from",
                  .kind = KERNEL_ARG_DIMS,
                  .dims_max = 1,
                  .min = 1,
                  .max = 1000000,
                  .def = "44100",
                  .help = "samples per second that go in"},
};

static int64_t common_factor(int64_t a, int64_t b)
{
    return b ? common_factor(b, a % b) : a;
}

/* Value of the filter at a distance of t input samples: sinc at the lower of the two rates, under a Hann window. */
static double filter(double up, double down, double t)
{
    double cutoff = up < down ? up / down : 1, reach = ZEROS / cutoff;
    if (fabs(t) >= reach)
        return 0;
    double window = 0.5 + 0.5 * cos(M_PI * t / reach), x = M_PI * cutoff * t;
    return cutoff * window * (x == 0 ? 1 : sin(x) / x);
}

static void bank_free(void *self)
{
    struct bank *b = self;
    if (b)
        free(b->tap);
    free(b);
}

static int make_bank(struct bank *b, int64_t to, int64_t from, struct err *err)
{
    int64_t factor = common_factor(to, from);
    b->up = to / factor;
    b->down = from / factor;
    b->half = (int64_t)ceil(ZEROS * fmax(1, (double)b->down / (double)b->up));
    int64_t taps = 2 * b->half + 1;
    if (b->up > (INT64_C(1) << 26) / taps)
        return err_set(err, -ERANGE, "%lld to %lld needs %lld filters of %lld taps, more than 2^26 numbers",
                       (long long)from, (long long)to, (long long)b->up, (long long)taps);
    b->tap = kernel__alloc((size_t)(b->up * taps), sizeof *b->tap);
    if (!b->tap)
        return kernel__no_memory(err);
    for (int64_t phase = 0; phase < b->up; phase++)
        for (int64_t j = 0; j < taps; j++)
            b->tap[phase * taps + j] = (float)filter((double)b->up, (double)b->down,
                                                     (double)(j - b->half) - (double)phase / (double)b->up);
    return 0;
}

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t frames, channels;
    int rc = kernel__audio(p, &frames, &channels, err);
    if (rc)
        return rc;
    struct bank *b = calloc(1, sizeof *b);
    if (!b)
        return kernel__no_memory(err);
    rc = make_bank(b, p->arg[ARG_TO].dim[0], p->arg[ARG_FROM].dim[0], err);
    if (!rc && frames > INT64_MAX / b->up - b->down)
        rc = err_set(err, -ERANGE, "%lld frames are too many", (long long)frames);
    if (rc) {
        bank_free(b);
        return rc;
    }
    p->self = b;
    int64_t out = (frames * b->up + b->down - 1) / b->down;
    p->out = kernel__f32(p->in.ndim, out, channels, 0);
    p->work.flops = 2.0 * (double)(2 * b->half + 1) * (double)(out * channels);
    p->work.bytes = kernel__bytes(p, (double)(b->up * (2 * b->half + 1)));
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    const struct bank *b = p->self;
    const float *x = in;
    float *y = out;
    int64_t frames = p->in.dim[0], channels = p->in.ndim == 2 ? p->in.dim[1] : 1, taps = 2 * b->half + 1;
    for (int64_t i = 0; i < p->out.dim[0]; i++) {
        int64_t first = i * b->down / b->up - b->half;
        const float *tap = b->tap + i * b->down % b->up * taps;
        int64_t low = first < 0 ? -first : 0, high = first + taps > frames ? frames - first : taps;
        for (int64_t c = 0; c < channels; c++) {
            float sum = 0;
            for (int64_t j = low; j < high; j++)
                sum += tap[j] * x[(first + j) * channels + c];
            y[i * channels + c] = sum;
        }
    }
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    double to = (double)p->arg[ARG_TO].dim[0], from = (double)p->arg[ARG_FROM].dim[0];
    int64_t frames = p->in.dim[0], channels = p->in.ndim == 2 ? p->in.dim[1] : 1;
    const struct bank *b = p->self;
    for (int64_t i = 0; i < p->out.dim[0] * channels; i++) {
        double sum = 0, sum_abs = 0, reach = 0;
        int64_t frame = i / channels;
        for (int64_t t = 0; t < frames; t++) {
            double weight = filter(to, from, (double)t - (double)frame * from / to);
            double x = tensor_get(in, t * channels + i % channels);
            sum += weight * x;
            sum_abs += fabs(weight * x);
            reach = fmax(reach, fabs(x));
        }
        out[i] = sum;
        /* The last term: positions are computed in another way, in double. */
        bound[i] = kernel__dot_bound(2 * b->half + 2, sum_abs) + 1e-9 * reach;
    }
}

static const struct kernel_case cases[] = {
    {"resample=1:1", "1"},    {"resample=16000:44100", "441:i16"}, {"resample=3:from=2", "101x2"},
    {"resample=7:31", "257"}, {"resample=48000:44100", "131:i16"}, {"resample=A:B", "101"},
    {"resample=A:B", "37xC"},
};

const struct kernel kernel_resample = {
    .name = "resample",
    .help = "sample rate conversion, windowed sinc",
    .takes = "L or L x CHANNELS",
    .gives = "L TO / FROM x CHANNELS:f32",
    .formula = "y[i] = sum over t of x[t] h(t - i FROM / TO)",
    .source = "Crochiere, Rabiner, Multirate Digital Signal Processing, 1983",
    .blas = "none: each output has its own few taps; as one matrix most entries would be zero",
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = bank_free,
    .run = run,
    .reference = reference,
};
