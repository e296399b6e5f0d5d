/* Colours, dashes and point shapes: the same setting looks the same in all pictures. */
#ifndef PLOTS_PALETTE_H
#define PLOTS_PALETTE_H

#include <stddef.h>
#include <stdint.h>

#include "results/record.h"

/* Colours for people who see two kinds of light only, after Okabe and Ito, "Color Universal Design" (2008);
 * their yellow is too light for lines. Neighbours differ in lightness too, so that grey prints are legible.
 */
struct plot_look {
    uint32_t rgb;
    int dash;           /* gnuplot's dt */
    int filled, hollow; /* gnuplot's pt */
};

struct plot_look plot__look(size_t line);

/* A tint of rgb: fraction 0 = as it is, 1 = white. */
uint32_t plot__tint(uint32_t rgb, double fraction);

/* Sequential scale from "as good as the best" (0, light) to "far worse" (1, dark). */
uint32_t plot__heat(double fraction);

/* Of the causes the consumer waits for, from light to dark, so that a grey print keeps them apart. */
extern const uint32_t plot__wait_rgb[RESULT_WAIT_CAUSES];

/* Relative luminance in [0, 1], as the Web Content Accessibility Guidelines 2.1 define it. */
double plot__luminance(uint32_t rgb);

#define PLOT_INK "#1f2328"
#define PLOT_QUIET "#59636e"
#define PLOT_GRID "#dfe3e8"
#define PLOT_SHADE "#f0f2f5"
#define PLOT_PAPER "#ffffff"

#endif
