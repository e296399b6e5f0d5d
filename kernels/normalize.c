/* (x / 255 - mean) / std for each channel: bound by memory. */
#include <math.h>
#include <stdlib.h>

#include "common.h"

enum { STATS_IMAGENET, STATS_HALF, STATS_UNIT };

static const char *const stats[] = {
    [STATS_IMAGENET] = "imagenet", [STATS_HALF] = "half", [STATS_UNIT] = "unit", NULL};
static const struct kernel_arg args[] = {
    {.name = "stats",
     .kind = KERNEL_ARG_WORD,
     .words = stats,
     .def = "imagenet",
     .help = "imagenet: its mean and deviation (half unless there are 3 channels); half: 0.5 and 0.5; unit: "
             "0 and 1"},
};

static void mean_std(const struct kernel_plan *p, int64_t channels, int64_t c, double *mean, double *std)
{
    static const double imagenet[2][3] = {{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}};
    bool known = p->arg[0].word == STATS_IMAGENET && channels == 3;
    *mean = known ? imagenet[0][c] : p->arg[0].word == STATS_UNIT ? 0 : 0.5;
    *std = known ? imagenet[1][c] : p->arg[0].word == STATS_UNIT ? 1 : 0.5;
}

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    if (hwc[2] > 4)
        return kernel__mismatch(p, "an image of 1 to 4 channels", err);
    struct kernel_affine *s = p->self = malloc(sizeof *s);
    if (!s)
        return kernel__no_memory(err);
    for (int64_t j = 0; j < KERNEL_AFFINE; j++) {
        double mean, std;
        mean_std(p, hwc[2], j % hwc[2], &mean, &std);
        s->scale[j] = (float)(1 / (255 * std));
        s->shift[j] = (float)(-mean / std);
    }
    p->out = p->in;
    p->work.flops = 2.0 * (double)tensor_elements(&p->in);
    p->work.bytes = kernel__bytes(p, 2 * (double)hwc[2]);
    return 0;
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)rng, (void)err;
    kernel__affine(in, out, tensor_elements(&p->in), p->self);
    return 0;
}

static const struct kernel_affine *affine(const struct kernel_plan *p)
{
    return p->self;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    (void)rng;
    int64_t channels = kernel__channels(&p->in);
    for (int64_t i = 0; i < tensor_elements(&p->in); i++) {
        double mean, std, x = tensor_get(in, i);
        mean_std(p, channels, i % channels, &mean, &std);
        out[i] = (x / 255 - mean) / std;
        bound[i] = kernel__dot_bound(2, fabs(x / (255 * std)) + fabs(mean / std));
    }
}

static const struct kernel_case cases[] = {
    {"normalize", "1x1x3:u8"},   {"normalize", "7x11:u8"},    {"normalize=half", "1x31x3"},
    {"normalize=unit", "5x7x4"}, {"normalize", "17x13x2:u8"}, {"normalize", "AxBx3:u8"},
};

const struct kernel kernel_normalize = {
    .name = "normalize",
    .help = "mean and deviation off, for each channel: bound by memory",
    .takes = "H x W x C, C up to 4",
    .gives = "H x W x C:f32",
    .formula = "y = (x / 255 - mean[c]) / std[c]",
    .source = "ImageNet statistics: torchvision, models documentation",
    .blas = "none: two operations for each element",
    .in_place = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .free = free,
    .run = run,
    .affine = affine,
    .reference = reference,
};
