/* What a kernel is: one transform of a sample, its plain reference, and what it costs. */
#ifndef KERNELS_KERNEL_H
#define KERNELS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "base/counter_rng.h"
#include "base/err.h"
#include "base/tensor.h"

/* What one sample costs in arithmetic and in memory traffic that cannot be avoided (inputs and weights read +
 * outputs written). */
struct kernel_work {
    double flops, bytes;
};

enum kernel_arg_kind {
    KERNEL_ARG_DIMS, /* "64x32x16": whole numbers */
    KERNEL_ARG_REAL,
    KERNEL_ARG_NS,   /* "5ms" */
    KERNEL_ARG_WORD, /* one of `words` */
    KERNEL_ARG_TEXT, /* anything without ':' and ',' */
};

/* "name=768", "name=768:key=value:...": a value without a key takes the table's order. */
struct kernel_arg {
    const char *name;
    enum kernel_arg_kind kind;
    int dims_max;    /* DIMS: at most so many numbers */
    double min, max; /* of each number; ns for NS */
    const char *def; /* as a person would type it; NULL = must be given; "" (DIMS) = from the sample */
    const char *const *words; /* WORD: ends with NULL */
    const char *help;
};

enum { KERNEL_ARG_DIMS_MAX = 4, KERNEL_ARGS_MAX = 6, KERNEL_TEXT_MAX = 256 };

struct kernel_value {
    int count; /* DIMS: numbers given */
    int64_t dim[KERNEL_ARG_DIMS_MAX];
    double real; /* REAL, NS */
    int word;    /* index into words */
    char text[KERNEL_TEXT_MAX];
};

/* y = x scale + shift for each value of an image: value i, counted from the first of a pixel, has entry i modulo
 * KERNEL_AFFINE, which is a multiple of every channel count up to 4 and of the vector length. */
enum { KERNEL_AFFINE = 24 };

struct kernel_affine {
    float scale[KERNEL_AFFINE], shift[KERNEL_AFFINE];
};

/* A kernel made ready for one shape. self is the kernel's: weights and scratch memory. */
struct kernel_plan {
    struct kernel_value arg[KERNEL_ARGS_MAX];
    struct tensor_shape in, out;
    struct kernel_work work;
    void *self;

    /* Set by a chain when such a step follows: to be done to each value of the result as it is written. NULL = nothing. */
    const struct kernel_affine *then;
};

/* Edge shapes: arguments and shape as a person would type them. Capital letters A to D are drawn anew (1 to
 * 48) for each round of `verify`, the same in both: {"gemm=AxBxC", "AxB:f32"}. */
struct kernel_case {
    const char *text, *shape;
};

/* One file ends in one of these; its word stands in the list in CMakeLists.txt. Every field without
 * "optional" is required. Samples arrive as f32 (integers converted to their value, i16 divided by 32768)
 * unless any_dtype. */
struct kernel {
    const char *name;
    const char *help;    /* one line */
    const char *takes;   /* "H x W x C" */
    const char *gives;   /* "S x S x C:f32" */
    const char *formula; /* one line */
    const char *source;  /* where it is from */
    const char *blas;    /* routine it calls, or "none: why" */
    bool any_dtype;
    bool repeats;  /* arg[0]: how often a chain runs what is before it */
    bool random;   /* draws from the sample's stream */
    bool in_place; /* run may be given one address for in and out (element by element, the same size) */
    bool then;     /* run does what p->then says, to f32, with the same bits as on its own */
    const struct kernel_arg *args;
    int args_n;                      /* 0 with args NULL: takes none */
    const struct kernel_case *cases; /* what `verify` runs */
    int cases_n;

    /* Optional, NULL = the dataset has to say: the shape it asks for when none is given. */
    void (*default_input)(const struct kernel_value *arg, struct tensor_shape *out);

    /* Checks p->in against p->arg; sets out, work and self. No product here: a worker has not set its threads
     * yet. Errors: -EINVAL a shape it does not take (naming both), -ENOMEM. */
    int (*plan)(struct kernel_plan *p, struct err *err);
    void (*free)(void *self); /* optional, NULL = self is not used */

    int (*run)(const struct kernel_plan *p, const void *in, void *out, struct counter_rng *rng,
               struct err *err);

    /* Optional, NULL = it is more than that: the affine map that run is. */
    const struct kernel_affine *(*affine)(const struct kernel_plan *p);

    /* The same in plain loops and double precision. out and bound: [elements of p->out]; bound is how far
     * `run` may be off, from the rounding of each operation. Draws what run draws. Optional, NULL = code of the user's, nothing to check; cases_n is 0 then. */
    void (*reference)(const struct kernel_plan *p, const struct tensor *in, double *out, double *bound,
                      struct counter_rng *rng);
};

/* All kernels, in the order of the list. */
extern const struct kernel *const kernel_list[];
extern const int kernel_list_n;

/* Errors: -EINVAL naming it and the nearest known name. */
int kernel_find(const char *name, const struct kernel **out, struct err *err);

/* Reads "name=args" into the kernel and its values. Errors: -EINVAL, -ERANGE. */
int kernel_parse(const char *text, const struct kernel **out, struct kernel_value arg[KERNEL_ARGS_MAX],
                 struct err *err);

#endif
