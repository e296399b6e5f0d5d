#include "labels.h"

#include <math.h>

#include "base/counter_rng.h"
#include "quote.h"
#include "testing/cmocka.h"

enum { POINTS = 40 };
static const double width = 600, height = 400, font = 10.5;

struct box {
    double left, right, bottom, top;
};

static struct box box_of(const struct label_place *p, const char *words)
{
    double w = (double)plot__columns(words) * font * 0.6;
    return (struct box){p->x, p->x + w, p->y - font / 2, p->y + font / 2};
}

static double distance(const struct box *b, const struct label_point *p)
{
    return hypot(fmax(0, fmax(b->left - p->x, p->x - b->right)),
                 fmax(0, fmax(b->bottom - p->y, p->y - b->top)));
}

static void placed_labels_cover_neither_each_other_nor_a_point_nor_its_bars_nor_the_frame(void **state)
{
    (void)state;
    struct label_point points[POINTS];
    struct label_place places[POINTS];
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, 0);
    size_t placed = 0;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < POINTS; i++)
            points[i] = (struct label_point){.x = width * counter_rng_uniform(&rng),
                                             .y = height * counter_rng_uniform(&rng),
                                             .words = i % 3 ? "12 workers x 2 threads" : NULL,
                                             .left = i % 2 ? 30 * counter_rng_uniform(&rng) : 0,
                                             .right = i % 2 ? 40 * counter_rng_uniform(&rng) : 0,
                                             .down = i % 4 ? 20 * counter_rng_uniform(&rng) : 0,
                                             .up = i % 4 ? 25 * counter_rng_uniform(&rng) : 0};
        labels_place(points, POINTS, width, height, font, places);
        for (size_t i = 0; i < POINTS; i++) {
            if (!places[i].placed)
                continue;
            placed++;
            assert_non_null(points[i].words);
            struct box a = box_of(&places[i], points[i].words);
            assert_true(a.left >= 0 && a.right <= width && a.bottom >= 0 && a.top <= height);
            for (size_t j = 0; j < POINTS; j++) {
                const struct label_point *q = &points[j];
                bool in_column = q->x > a.left && q->x<a.right, in_row = q->y> a.bottom && q->y < a.top;
                assert_false(in_column && q->y + q->up > a.bottom && q->y - q->down < a.top);
                assert_true(distance(&a, &points[i]) <= distance(&a, q) + 2); /* its own is nearest */
                assert_false(in_row && q->x + q->right > a.left && q->x - q->left < a.right);
                if (j == i || !places[j].placed)
                    continue;
                struct box b = box_of(&places[j], points[j].words);
                assert_true(a.right <= b.left || b.right <= a.left || a.top <= b.bottom || b.top <= a.bottom);
            }
        }
    }
    assert_true(placed > 200);
}

static void a_lone_point_gets_its_label_close_by(void **state)
{
    (void)state;
    struct label_point point = {.x = 300, .y = 200, .words = "1 worker"};
    struct label_place place;
    labels_place(&point, 1, width, height, font, &place);
    assert_true(place.placed);
    assert_true(fabs(place.y - 200) < 2 * font && fabs(place.x - 300) < 2 * font);
}

static void a_label_stands_off_a_wide_ring_and_past_the_end_of_a_bar(void **state)
{
    (void)state;
    struct label_point point = {.x = 300, .y = 200, .words = "1 worker", .radius = 12};
    struct label_place place;
    labels_place(&point, 1, width, height, font, &place);
    assert_true(place.placed && place.x > 312 && place.x < 330);
    point.right = 60;
    labels_place(&point, 1, width, height, font, &place);
    assert_true(place.placed && place.x > 360 && place.x < 380);
}

static void a_label_wider_than_the_frame_is_left_out(void **state)
{
    (void)state;
    struct label_point point = {.x = 10, .y = 10, .words = "a label that is wider than the frame"};
    struct label_place place;
    labels_place(&point, 1, 50, 50, font, &place);
    assert_false(place.placed);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(placed_labels_cover_neither_each_other_nor_a_point_nor_its_bars_nor_the_frame),
        cmocka_unit_test(a_lone_point_gets_its_label_close_by),
        cmocka_unit_test(a_label_stands_off_a_wide_ring_and_past_the_end_of_a_bar),
        cmocka_unit_test(a_label_wider_than_the_frame_is_left_out),
    };
    return CASES(cases);
}
