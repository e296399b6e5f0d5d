/* Drawing the latency matrix; see plots/latency.h. */
#include "plots/latency.h"

#include <errno.h>
#include <math.h>

#include "draw.h"
#include "page.h"

enum { MOST_CPUS = 1024, MOST_FIGURES = 20, FRAME_PX = 560 };

static const struct plot latency = {
    .name = "latency",
    .title = "A cache line there and back",
    .question = "Which CPUs are close to each other, and which far?",
    .alt = "A map of CPUs against CPUs: each cell is the time a cache line takes to the other CPU and back, "
           "darker is "
           "longer.",
};

static void extent(const double *v, size_t n, double *low, double *high)
{
    *low = *high = NAN;
    for (size_t i = 0; i < n * n; i++)
        if (isfinite(v[i]) && v[i] > 0) {
            *low = fmin(*low, v[i]);
            *high = fmax(*high, v[i]);
        }
}

static void set_axes(struct plot_page *page, const int *cpus, size_t n)
{
    static const char axes[] = {'x', 'y'};
    size_t every = n / 17 + 1;
    for (int a = 0; a < 2; a++) {
        text_addf(&page->setup, a ? "set %crange [%g:-0.5]\n" : "set %crange [-0.5:%g]\n", axes[a],
                  (double)n - 0.5);
        text_addf(&page->setup, "set %ctics (", axes[a]);
        for (size_t i = 0; i < n; i += every)
            text_addf(&page->setup, "%s\"%d\" %zu", i ? ", " : "", cpus ? cpus[i] : (int)i, i);
        text_addf(&page->setup, ") scale 0\nset %clabel \"CPU\" textcolor rgb '" PLOT_INK "'\n", axes[a]);
    }
    text_addf(&page->setup,
              "unset grid\nunset border\nset lmargin at screen 0.1\nset rmargin at screen %.4f\n",
              0.1 + FRAME_PX / (double)page->width);
}

static void add_cells(struct plot_page *page, const double *v, size_t n, double low, double high)
{
    page_block(page, "column row round_trip_ns rgb ink figure", "round trips");
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(v[i]) || v[i] <= 0)
            continue;
        double at = high > low * 1.02 ? log(v[i] / low) / log(high / low) : 0;
        uint32_t rgb = plot__heat(at);
        page_row(page, "%zu %zu %.6g %u %u \"%.0f\"", i % n, i / n, v[i], rgb,
                 plot__luminance(rgb) > 0.3 ? 0x1f2328 : 0xffffff, v[i]);
    }
    page_element(
        page,
        "'latency.dat' index 0 using 1:2:(0.48):(0.48):4 with boxxyerror linecolor rgb variable fillstyle "
        "solid noborder notitle");
    if (n <= MOST_FIGURES)
        page_element(
            page,
            "'latency.dat' index 0 using 1:2:6:5 with labels textcolor rgb variable font \",%d\" notitle",
            n <= 8 ? 11 : 8);
}

int plot_latency(const double *round_trip_ns, const int *cpus, size_t n, const struct plot_options *opt,
                 struct err *err)
{
    double low, high;
    if (n < 2 || n > MOST_CPUS)
        return err_set(err, -EINVAL, "a latency matrix of %zu CPUs cannot be drawn: 2 to %d can", n,
                       MOST_CPUS);
    extent(round_trip_ns, n, &low, &high);
    if (!isfinite(high))
        return err_set(err, -ENODATA, "latency cannot be drawn: no round trip was measured");
    struct plot_page page = {.plot = &latency, .width = 720, .height = FRAME_PX + 190};
    text_addf(&page.subtitle, "round trip in ns between CPUs, as the operating system numbers them");
    if (high - low >= 1)
        text_addf(&page.caption, "%.0f to %.0f ns; darker is longer", low, high);
    else
        text_addf(&page.caption, "%.0f ns between any two", low);
    set_axes(&page, cpus, n);
    add_cells(&page, round_trip_ns, n, low, high);
    int rc = plot__draw_page(&page, opt, err);
    page_fini(&page);
    return rc;
}
