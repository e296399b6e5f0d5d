/* Every kind of picture, one word each, the main one first. */
#define PLOT_LIST(X) X(workers)
