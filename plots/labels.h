/* Labels beside points that do not cover each other, nor any point: a label that finds no free place is left
 * out. */
#ifndef PLOTS_LABELS_H
#define PLOTS_LABELS_H

#include "page.h"

struct label_point {
    double x, y;       /* in pixels inside the frame, y upwards */
    const char *words; /* NULL = a point without a label, which must not be covered. Borrowed */
};

/* Where the words of a point went: left edge and middle of the text, in pixels; placed = false: left out. */
struct label_place {
    double x, y;
    bool placed;
};

/* Greedy, in the order given, over places to the right, left, above and below. font_px: height of the text.
 * Shapes: points, places: [n]. */
void labels_place(const struct label_point *points, size_t n, double width, double height, double font_px,
                  struct label_place *places);

#endif
