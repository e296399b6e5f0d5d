/* The looks; see palette.h. */
#include "palette.h"

#include <math.h>

enum { COLOURS = 7, SHAPES = 6 };

static const uint32_t colours[COLOURS] = {0x0072B2, 0xD55E00, 0x009E73, 0xAA4499,
                                          0xE69F00, 0x56B4E9, 0x222222};

/* Circle, square, triangle up, diamond, triangle down, pentagon. */
static const int shapes[SHAPES] = {7, 5, 9, 13, 11, 15};

struct plot_look plot__look(size_t line)
{
    /* The second round through the colours has other dashes and shapes. */
    size_t round = line / COLOURS;
    int shape = shapes[(line + round) % SHAPES];
    return (struct plot_look){.rgb = colours[line % COLOURS],
                              .dash = (int)((line + round) % 5) + 1,
                              .filled = shape,
                              .hollow = shape - 1};
}

static uint32_t mix(uint32_t a, uint32_t b, double t)
{
    uint32_t out = 0;
    for (int shift = 0; shift <= 16; shift += 8) {
        double x = (double)(a >> shift & 0xFF), y = (double)(b >> shift & 0xFF);
        out |= (uint32_t)lround(x + (y - x) * t) << shift;
    }
    return out;
}

uint32_t plot__tint(uint32_t rgb, double fraction)
{
    return mix(rgb, 0xFFFFFF, fraction);
}

uint32_t plot__heat(double fraction)
{
    static const uint32_t stops[] = {0xE8F4EC, 0xF7DFA5, 0xE8935A, 0xB5403F, 0x5B1A3A};
    enum { LAST = sizeof stops / sizeof *stops - 1 };
    if (!(fraction > 0))
        return stops[0];
    if (fraction >= 1)
        return stops[LAST];
    int i = (int)(fraction * LAST);
    return mix(stops[i], stops[i + 1], fraction * LAST - i);
}

const uint32_t plot__wait_rgb[RESULT_WAIT_CAUSES] = {0xF0E442, 0x56B4E9, 0xE69F00,
                                                     0x0072B2, 0x5B1A3A, 0x000000};

double plot__luminance(uint32_t rgb)
{
    static const double weight[] = {0.0722, 0.7152, 0.2126};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double c = (double)(rgb >> (8 * i) & 0xFF) / 255;
        sum += weight[i] * (c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}
