/* Cuts a window out of an image: at the centre, or where the sample's stream says. */
#include <stdio.h>
#include <string.h>

#include "common.h"

enum { ARG_SIZE, ARG_AT };
enum { AT_CENTER, AT_RANDOM };

static const char *const at[] = {[AT_CENTER] = "center", [AT_RANDOM] = "random", NULL};
static const struct kernel_arg args[] = {
    [ARG_SIZE] = {.name = "size",
                  .kind = KERNEL_ARG_DIMS,
                  .dims_max = 2,
                  .min = 1,
                  .max = 16384,
                  .def = "224",
                  .help = "S (S x S) or HEIGHTxWIDTH"},
    [ARG_AT] = {.name = "at", .kind = KERNEL_ARG_WORD, .words = at, .def = "center", .help = "where"},
};

static int plan(struct kernel_plan *p, struct err *err)
{
    int64_t hwc[3];
    int rc = kernel__image(p, hwc, err);
    if (rc)
        return rc;
    const struct kernel_value *size = &p->arg[ARG_SIZE];
    int64_t h = size->dim[0], w = size->dim[size->count - 1];
    if (h > hwc[0] || w > hwc[1]) {
        char want[TENSOR_TEXT];
        snprintf(want, sizeof want, "at least %lldx%lld", (long long)h, (long long)w);
        return kernel__mismatch(p, want, err);
    }
    p->out = p->in;
    p->out.dim[0] = h;
    p->out.dim[1] = w;
    p->work.bytes = 2 * (double)tensor_bytes(&p->out); /* the rest is not read */
    return 0;
}

static void corner(const struct kernel_plan *p, struct counter_rng *rng, int64_t *top, int64_t *left)
{
    int64_t down = p->in.dim[0] - p->out.dim[0], right = p->in.dim[1] - p->out.dim[1];
    *top = p->arg[ARG_AT].word == AT_RANDOM ? counter_rng_below(rng, (uint32_t)down + 1) : down / 2;
    *left = p->arg[ARG_AT].word == AT_RANDOM ? counter_rng_below(rng, (uint32_t)right + 1) : right / 2;
}

static size_t pixel_bytes(const struct kernel_plan *p)
{
    return tensor_dtype_bytes(p->in.dtype) * (size_t)kernel__channels(&p->in);
}

static int run(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err)
{
    (void)err;
    int64_t top, left;
    corner(p, rng, &top, &left);
    size_t pixel = pixel_bytes(p), row = (size_t)p->out.dim[1] * pixel, pitch = (size_t)p->in.dim[1] * pixel;
    const unsigned char *from = (const unsigned char *)in + (size_t)top * pitch + (size_t)left * pixel;
    for (int64_t y = 0; y < p->out.dim[0]; y++)
        memcpy((unsigned char *)out + (size_t)y * row, from + (size_t)y * pitch, row);
    return 0;
}

static void reference(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng)
{
    int64_t top, left, c = kernel__channels(&p->in), w = p->out.dim[1];
    corner(p, rng, &top, &left);
    for (int64_t i = 0; i < tensor_elements(&p->out); i++) {
        int64_t y = i / c / w + top, x = i / c % w + left;
        out[i] = tensor_get(in, (y * p->in.dim[1] + x) * c + i % c);
        bound[i] = 0;
    }
}

static const struct kernel_case cases[] = {
    {"crop=1", "1x1x3:u8"},         {"crop=5x3", "7x11"},           {"crop=2:random", "31x17x3:u8"},
    {"crop=1x13:random", "3x13x3"}, {"crop=1:random", "AxBx3:i16"},
};

const struct kernel kernel_crop = {
    .name = "crop",
    .help = "cuts a window out",
    .takes = "H x W x C",
    .gives = "S x S x C",
    .formula = "out[y,x] = in[y + top, x + left]",
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
