/* Made and recorded noise. */
#include "noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "results/stats/order_statistic.h"

const struct noise noise_made[] = {
    {"normal", NOISE_NORMAL, 0, NULL, 0},
    {"lognormal", NOISE_LOGNORMAL, 0, NULL, 0},
    {"Pareto, index 1.5", NOISE_PARETO, 0, NULL, 0},
    {"bimodal", NOISE_BIMODAL, 0, NULL, 0},
    {"ties", NOISE_TIES, 0, NULL, 0},
    {"constant", NOISE_CONSTANT, 0, NULL, 0},
    {"AR(1) 0.3", NOISE_AR, 0.3, NULL, 0},
    {"AR(1) 0.5", NOISE_AR, 0.5, NULL, 0},
    {"AR(1) 0.7", NOISE_AR, 0.7, NULL, 0},
    {"drift", NOISE_DRIFT, 0, NULL, 0},
    {"step", NOISE_STEP, 0, NULL, 0},
    {NULL, 0, 0, NULL, 0},
};

bool noise_is_independent(const struct noise *noise)
{
    return noise->kind <= NOISE_CONSTANT;
}

/* Six in ten near 0, four in ten near 0.3; 0.019348 is where half lies below: Phi(0.9674) = 5 / 6. */
static double bimodal(struct counter_rng *rng)
{
    double at = counter_rng_uniform(rng) < 0.6 ? 0 : 0.3;
    return at + 0.02 * counter_rng_normal(rng) - 0.02 * 0.967421566;
}

static double independent(enum noise_kind kind, struct counter_rng *rng)
{
    switch (kind) {
    case NOISE_NORMAL:
        return 0.1 * counter_rng_normal(rng);
    case NOISE_LOGNORMAL:
        return 0.1 * (exp(counter_rng_normal(rng)) - 1);
    case NOISE_PARETO:
        return 0.05 * (pow(1 - counter_rng_uniform(rng), -1 / 1.5) - pow(0.5, -1 / 1.5));
    case NOISE_BIMODAL:
        return bimodal(rng);
    case NOISE_TIES:
        return 0.1 * round(counter_rng_normal(rng));
    default:
        return 0;
    }
}

static void autoregressive(double rho, struct counter_rng *rng, double *x, size_t n)
{
    double at = counter_rng_normal(rng);
    for (size_t i = 0; i < n; i++) {
        x[i] = 0.1 * at;
        at = rho * at + sqrt(1 - rho * rho) * counter_rng_normal(rng);
    }
}

void noise_draw(const struct noise *noise, struct counter_rng *rng, double *x, size_t n)
{
    if (noise->kind == NOISE_AR) {
        autoregressive(noise->strength, rng, x, n);
        return;
    }
    size_t from = noise->length ? counter_rng_below(rng, (uint32_t)noise->length) : 0;
    double sign = counter_rng_below(rng, 2) ? 1 : -1;
    for (size_t i = 0; i < n; i++) {
        double part = n > 1 ? (double)i / (double)(n - 1) - 0.5 : 0;
        if (noise->kind == NOISE_RECORDED)
            sign = counter_rng_below(rng, 2) ? 1 : -1;
        if (noise->kind == NOISE_RECORDED || noise->kind == NOISE_REGIME)
            x[i] = sign * noise->series[(from + i) % noise->length];
        else if (noise->kind == NOISE_DRIFT)
            x[i] = 0.4 * part + 0.1 * counter_rng_normal(rng);
        else if (noise->kind == NOISE_STEP)
            x[i] = (part < 0 ? -0.1 : 0.1) + 0.1 * counter_rng_normal(rng);
        else
            x[i] = independent(noise->kind, rng);
    }
}

static FILE *open_csv(const char *directory, const char *name)
{
    char path[1024], line[256];
    snprintf(path, sizeof path, "%s/%s.csv", directory, name);
    FILE *f = fopen(path, "r");
    if (f && !fgets(line, sizeof line, f)) {
        fclose(f);
        f = NULL;
    }
    return f;
}

static void centre(double *x, size_t n)
{
    double sorted[RECORDED_ROUNDS];
    memcpy(sorted, x, n * sizeof *x);
    double median = stats_median(sorted, n);
    for (size_t i = 0; i < n; i++)
        x[i] -= median;
}

bool recorded_read_rounds(const char *directory, const char *name, struct recorded_rounds *out)
{
    static const int known[RECORDED_CONFIGURATIONS] = {11, 12, 21, 22, 41}; /* workers, threads */
    *out = (struct recorded_rounds){.name = name};
    FILE *f = open_csv(directory, name);
    if (!f)
        return false;
    int round, workers, threads, found = 0;
    double item;
    while (fscanf(f, "%d,%d,%d,%lf", &round, &workers, &threads, &item) == 4)
        for (int c = 0; c < RECORDED_CONFIGURATIONS; c++)
            if (known[c] == 10 * workers + threads && round >= 1 && round <= RECORDED_ROUNDS && item > 0) {
                out->ln[c][round - 1] = log(item);
                found++;
            }
    fclose(f);
    for (int c = 0; c < RECORDED_CONFIGURATIONS; c++)
        centre(out->ln[c], RECORDED_ROUNDS);
    return found == RECORDED_CONFIGURATIONS * RECORDED_ROUNDS;
}

static void fill_ratios(struct recorded_turns *out)
{
    for (int i = 0; i < RECORDED_ROUNDS; i++) {
        double blocks[RECORDED_BLOCKS];
        for (int b = 0; b < RECORDED_BLOCKS; b++)
            blocks[b] =
                (out->ln[i][b][1][0] + out->ln[i][b][1][1] - out->ln[i][b][0][0] - out->ln[i][b][0][1]) / 2;
        out->ratio[i] = stats_median(blocks, RECORDED_BLOCKS);
    }
}

bool recorded_read_turns(const char *directory, const char *name, struct recorded_turns *out)
{
    *out = (struct recorded_turns){.name = name};
    FILE *f = open_csv(directory, name);
    if (!f)
        return false;
    int invocation, block, turn, found = 0, taken[RECORDED_ROUNDS][RECORDED_BLOCKS][2] = {{{0}}};
    char arm;
    double item;
    while (fscanf(f, "%d,%d,%d,%c,%lf", &invocation, &block, &turn, &arm, &item) == 5) {
        int a = arm == 'b';
        if (invocation < 1 || invocation > RECORDED_ROUNDS || block < 1 || block > RECORDED_BLOCKS ||
            item <= 0)
            break;
        int *t = &taken[invocation - 1][block - 1][a];
        if (*t == 2)
            break;
        out->ln[invocation - 1][block - 1][a][(*t)++] = log(item);
        found++;
    }
    fclose(f);
    fill_ratios(out);
    return found == RECORDED_ROUNDS * RECORDED_BLOCKS * RECORDED_TURNS;
}
