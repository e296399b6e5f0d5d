/* The samplers: one word here, one file sampler_<word>.c that ends in `const struct sampler_kind
 * sampler__<word>`. */
#define SAMPLER_LIST(X)                                                                                      \
    X(sequential)                                                                                            \
    X(random)                                                                                                \
    X(subset_random)                                                                                         \
    X(weighted)                                                                                              \
    X(distributed)                                                                                           \
    X(batch)                                                                                                 \
    X(endless)
