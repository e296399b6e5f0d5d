/* Placing labels greedily; see labels.h. */
#include "labels.h"

#include "quote.h"

struct box {
    double left, right, bottom, top;
};

static bool apart(const struct box *a, const struct box *b)
{
    return a->right <= b->left || b->right <= a->left || a->top <= b->bottom || b->top <= a->bottom;
}

static struct box box_of(double x, double y, const char *words, double font_px)
{
    /* Sans-serif letters are some 0.6 of the font's height wide, with a little air. */
    double width = (double)plot__columns(words) * font_px * 0.61;
    return (struct box){x, x + width, y - 0.62 * font_px, y + 0.62 * font_px};
}

static bool is_free(const struct box *b, const struct label_point *points, const struct label_place *places,
                    size_t n, size_t self, double width, double height, double font_px)
{
    if (b->left < 0 || b->right > width || b->bottom < 0 || b->top > height)
        return false;
    for (size_t i = 0; i < n; i++) {
        struct box dot = {points[i].x - 5, points[i].x + 5, points[i].y - 5, points[i].y + 5};
        if (!apart(b, &dot))
            return false;
        if (i == self || !places[i].placed)
            continue;
        struct box other = box_of(places[i].x, places[i].y, points[i].words, font_px);
        if (!apart(b, &other))
            return false;
    }
    return true;
}

void labels_place(const struct label_point *points, size_t n, double width, double height, double font_px,
                  struct label_place *places)
{
    /* Shifts: in heights of the font, and in widths of the text to the left. */
    static const double up[] = {0, 1.2, -1.2, 0, 1.2, -1.2, 1.5, -1.5, 2.4, -2.4, 2.4, -2.4};
    static const double right[] = {0.9, 0.6, 0.6, -0.9, -0.6, -0.6, 0, 0, 0.8, 0.8, -0.8, -0.8};
    for (size_t i = 0; i < n; i++)
        places[i].placed = false;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; points[i].words && c < sizeof up / sizeof *up && !places[i].placed; c++) {
            struct box at = box_of(0, 0, points[i].words, font_px);
            double x = points[i].x + right[c] * font_px;
            x -= right[c] < 0 ? at.right : right[c] == 0 ? at.right / 2 : 0;
            double y = points[i].y + up[c] * font_px;
            struct box b = box_of(x, y, points[i].words, font_px);
            if (is_free(&b, points, places, n, i, width, height, font_px))
                places[i] = (struct label_place){x, y, true};
        }
}
