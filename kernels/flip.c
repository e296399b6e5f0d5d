/* Mirrors an image, with a probability, drawn from the sample's stream. */
#include <string.h>

#include "common.h"

enum { ARG_WAY, ARG_P };
enum { WAY_HORIZONTAL, WAY_VERTICAL };

static const char *const ways[] = {[WAY_HORIZONTAL] = "horizontal", [WAY_VERTICAL] = "vertical", NULL};
static const struct kernel_arg args[] = {
    [ARG_WAY] =
        {.name = "way", .kind = KERNEL_ARG_WORD, .words = ways, .def = "horizontal", .help = "which way"},
    [ARG_P] = {.name = "p", .kind = KERNEL_ARG_REAL, .min = 0, .max = 1, .def = "0.5", .help = "how often"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    p->out = p->in;
    p->work.bytes = kernel__bytes(p, 0);
    return rc;
}

static bool draw(const struct kernel_plan *p, struct counter_rng *rng)
{
    return counter_rng_uniform(rng) < p->arg[ARG_P].real;
}

/* The size is a constant in each branch, so that the copies become moves. */
static void reverse_pixels(unsigned char *to, const unsigned char *from, int64_t n, size_t pixel)
{
    from += (size_t)(n - 1) * pixel;
    if (pixel == 3)
        for (int64_t x = 0; x < n; x++, to += 3, from -= 3)
            memcpy(to, from, 3);
    else if (pixel == 12)
        for (int64_t x = 0; x < n; x++, to += 12, from -= 12)
            memcpy(to, from, 12);
    else
        for (int64_t x = 0; x < n; x++, to += pixel, from -= pixel)
            memcpy(to, from, pixel);
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)err;
    int64_t h = p->in.dim[0], w = p->in.dim[1];
    size_t pixel = tensor_bytes(&p->in) / (size_t)(h * w), row = (size_t)w * pixel;
    if (!draw(p, rng)) {
        memcpy(out, in, tensor_bytes(&p->in));
        return 0;
    }
    for (int64_t y = 0; y < h; y++) {
        const unsigned char *from = in;
        unsigned char *to = (unsigned char *)out + (size_t)y * row;
        if (p->arg[ARG_WAY].word == WAY_HORIZONTAL)
            reverse_pixels(to, from + (size_t)y * row, w, pixel);
        else
            memcpy(to, from + (size_t)(h - 1 - y) * row, row);
    }
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    bool flip = draw(p, rng), across = p->arg[ARG_WAY].word == WAY_HORIZONTAL;
    int64_t h = p->in.dim[0], w = p->in.dim[1], c = kernel__channels(&p->in);
    for (int64_t i = 0; i < h * w * c; i++) {
        int64_t y = i / c / w, x = i / c % w;
        int64_t from_y = flip && !across ? h - 1 - y : y, from_x = flip && across ? w - 1 - x : x;
        out[i] = tensor_get(in, (from_y * w + from_x) * c + i % c);
        bound[i] = 0;
    }
}

static const struct kernel_case cases[] = {
    {"flip=p=1", "1x1x3:u8"},       {"flip=horizontal:1", "7x11"}, {"flip=vertical:p=1", "31x17x3:u8"},
    {"flip=horizontal:1", "5x7x3"}, {"flip=p=0", "3x13x3"},        {"flip", "AxBx3:u8"},
    {"flip=vertical", "AxBx2:i16"},
};

const struct kernel kernel_flip = {
    .name = "flip",
    .help = "mirrors, with a probability",
    .takes = "H x W x C",
    .gives = "the same",
    .formula = "out[y,x] = in[y, W - 1 - x]",
    .source = "Krizhevsky, Sutskever, Hinton, NIPS 2012",
    .blas = "none: no arithmetic",
    .any_dtype = true,
    .random = true,
    .args = args,
    .args_n = sizeof args / sizeof *args,
    .cases = cases,
    .cases_n = sizeof cases / sizeof *cases,
    .plan = plan,
    .run = run,
    .reference = reference,
};
