/* Every kind of picture, one word each, the main one first. */
#define PLOT_LIST(X)                                                                                         \
    X(workers)                                                                                               \
    X(rate)                                                                                                  \
    X(forest)                                                                                                \
    X(oversubscription)                                                                                      \
    X(tradeoff)                                                                                              \
    X(ecdf) X(violin) X(efficiency) X(waits) X(timeline) X(order) X(counters) X(placement) X(history)
