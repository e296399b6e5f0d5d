/* Placing labels greedily; see labels.h. */
#include "labels.h"

#include <math.h>

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

static bool is_off_point(const struct box *b, const struct label_point *p)
{
    double r = p->radius > 0 ? p->radius : 5, thin = 1.5;
    const struct box parts[] = {{p->x - r, p->x + r, p->y - r, p->y + r},
                                {p->x - p->left, p->x + p->right, p->y - thin, p->y + thin},
                                {p->x - thin, p->x + thin, p->y - p->down, p->y + p->up}};
    return apart(b, &parts[0]) && apart(b, &parts[1]) && apart(b, &parts[2]);
}

static double distance(const struct box *b, const struct label_point *p)
{
    double x = fmax(0, fmax(b->left - p->x, p->x - b->right));
    double y = fmax(0, fmax(b->bottom - p->y, p->y - b->top));
    return hypot(x, y);
}

/* No other point is nearer to the words than their own, so that nobody takes them for its. */
static bool is_clear(const struct box *b, const struct label_point *points, size_t n, size_t self)
{
    double own = distance(b, &points[self]);
    for (size_t i = 0; i < n; i++)
        if (i != self && distance(b, &points[i]) < own)
            return false;
    return true;
}

static bool is_free(const struct box *b, const struct label_point *points, const struct label_place *places,
                    size_t n, size_t self, double width, double height, double font_px)
{
    if (b->left < 0 || b->right > width || b->bottom < 0 || b->top > height)
        return false;
    if (!is_clear(b, points, n, self))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_off_point(b, &points[i]))
            return false;
        if (i == self || !places[i].placed)
            continue;
        struct box other = box_of(places[i].x, places[i].y, points[i].words, font_px);
        if (!apart(b, &other))
            return false;
    }
    return true;
}

/* Where a label may stand: off the point by so much of its font, beside its bar or past the end of it. */
struct offset {
    int side;  /* 1 right, -1 left, 0 centred */
    double up; /* heights of the font; from the end of the bar where it is centred */
};

static const struct offset offsets[] = {{1, 0}, {-1, 0}, {1, 1},   {1, -1},   {-1, 1},   {-1, -1},
                                        {0, 1}, {0, -1}, {1, 1.7}, {1, -1.7}, {-1, 1.7}, {-1, -1.7},
                                        {0, 2}, {0, -2}, {1, 2.6}, {1, -2.6}, {-1, 2.6}, {-1, -2.6}};

static void put(const struct label_point *p, const struct offset *o, double font_px, double *x, double *y)
{
    double r = p->radius > 0 ? p->radius : 5, wide = box_of(0, 0, p->words, font_px).right;
    double up = o->up * font_px;
    if (o->side == 0) { /* above or below the bar */
        *x = p->x - wide / 2;
        *y = p->y + up + copysign(fmax(o->up > 0 ? p->up : p->down, r) - 0.3 * font_px, up);
        return;
    }
    /* On the height of the point: past the end of its bar. Higher or lower: right beside the other bar. */
    double bar = o->side > 0 ? p->right : p->left, gap = 0.4 * font_px;
    double off = o->up == 0 ? fmax(bar, r) + gap : fmax(0, r - fabs(up)) + gap;
    *x = o->side > 0 ? p->x + off : p->x - off - wide;
    *y = p->y + up;
}

void labels_place(const struct label_point *points, size_t n, double width, double height, double font_px,
                  struct label_place *places)
{
    for (size_t i = 0; i < n; i++)
        places[i].placed = false;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; points[i].words && c < sizeof offsets / sizeof *offsets && !places[i].placed;
             c++) {
            double x, y;
            put(&points[i], &offsets[c], font_px, &x, &y);
            struct box b = box_of(x, y, points[i].words, font_px);
            if (is_free(&b, points, places, n, i, width, height, font_px))
                places[i] = (struct label_place){x, y, true};
        }
}
