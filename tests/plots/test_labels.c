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

static void placed_labels_cover_neither_each_other_nor_a_point_nor_the_frame(void **state)
{
    (void)state;
    struct label_point points[POINTS];
    struct label_place places[POINTS];
    struct counter_rng rng;
    counter_rng_init(&rng, 1, 0, 0);
    size_t placed = 0;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < POINTS; i++)
            points[i] =
                (struct label_point){width * counter_rng_uniform(&rng), height * counter_rng_uniform(&rng),
                                     i % 3 ? "12 workers x 2 threads" : NULL};
        labels_place(points, POINTS, width, height, font, places);
        for (size_t i = 0; i < POINTS; i++) {
            if (!places[i].placed)
                continue;
            placed++;
            assert_non_null(points[i].words);
            struct box a = box_of(&places[i], points[i].words);
            assert_true(a.left >= 0 && a.right <= width && a.bottom >= 0 && a.top <= height);
            for (size_t j = 0; j < POINTS; j++) {
                assert_false(points[j].x > a.left && points[j].x < a.right && points[j].y > a.bottom &&
                             points[j].y < a.top);
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
    struct label_point point = {300, 200, "1 worker"};
    struct label_place place;
    labels_place(&point, 1, width, height, font, &place);
    assert_true(place.placed);
    assert_true(fabs(place.y - 200) < 2 * font && fabs(place.x - 300) < 2 * font);
}

static void a_label_wider_than_the_frame_is_left_out(void **state)
{
    (void)state;
    struct label_point point = {10, 10, "a label that is wider than the frame"};
    struct label_place place;
    labels_place(&point, 1, 50, 50, font, &place);
    assert_false(place.placed);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(placed_labels_cover_neither_each_other_nor_a_point_nor_the_frame),
        cmocka_unit_test(a_lone_point_gets_its_label_close_by),
        cmocka_unit_test(a_label_wider_than_the_frame_is_left_out),
    };
    return CASES(cases);
}
