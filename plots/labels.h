/* Labels beside points that do not cover each other, nor any point or its bars: a label that finds no free place is left
 * out. No other point is nearer to a label than its own. */
#ifndef PLOTS_LABELS_H
#define PLOTS_LABELS_H

#include "page.h"

struct label_point {
    double x, y;                  /* in pixels inside the frame, y upwards */
    const char *words;            /* NULL = a point without a label, which must not be covered. Borrowed */
    double radius;                /* of the point; 0 = 5 */
    double left, right, down, up; /* how far its bars reach from it; 0 = no bar */
};

/* Where the words of a point went: left edge and middle of the text, in pixels; placed = false: left out. */
struct label_place {
    double x, y;
    bool placed;
};

/* Greedy, in the order given, over places to the right, left, above and below, nearest first. font_px: height of the text.
 * Shapes: points, places: [n]. */
void labels_place(const struct label_point *points, size_t n, double width, double height, double font_px,
                  struct label_place *places);

#endif
