/* Nested analysis of variance with unequal numbers, and the square-root rule. */
#include "results/stats/components.h"

#include <math.h>
#include <stdbool.h>

/* Sums over the three levels, gathered in one pass over the sorted values. */
struct sums {
    double n, total;      /* values, and their sum */
    double squares;       /* of values */
    double block_squares; /* (sum of a block)^2 / its values */
    double inv_squares;   /* (sum of an invocation)^2 / its values */
    double blocks, invs;  /* numbers of them */
    double block_in_inv;  /* sum over blocks of m_ij^2 / n_i */
    double block_sizes;   /* sum over blocks of m_ij^2 */
    double inv_sizes;     /* sum over invocations of n_i^2 */
};

struct group {
    double n, sum;
};

static void close_block(struct sums *s, struct group *block, double *inv_block_sizes)
{
    if (block->n == 0)
        return;
    s->block_squares += block->sum * block->sum / block->n;
    s->block_sizes += block->n * block->n;
    *inv_block_sizes += block->n * block->n;
    s->blocks++;
    *block = (struct group){0, 0};
}

static void close_invocation(struct sums *s, struct group *inv, double *inv_block_sizes)
{
    if (inv->n == 0)
        return;
    s->inv_squares += inv->sum * inv->sum / inv->n;
    s->inv_sizes += inv->n * inv->n;
    s->block_in_inv += *inv_block_sizes / inv->n;
    s->invs++;
    *inv = (struct group){0, 0};
    *inv_block_sizes = 0;
}

/* Values are centred first, so that large ones do not lose their differences. */
static struct sums gather(const struct stats_nested *x, size_t n)
{
    struct sums s = {0};
    struct group block = {0, 0}, inv = {0, 0};
    double mean = 0, inv_block_sizes = 0;
    for (size_t i = 0; i < n; i++)
        mean += (x[i].value - mean) / (double)(i + 1);
    for (size_t i = 0; i < n; i++) {
        bool new_inv = i && x[i].invocation != x[i - 1].invocation;
        if (new_inv || (i && x[i].block != x[i - 1].block))
            close_block(&s, &block, &inv_block_sizes);
        if (new_inv)
            close_invocation(&s, &inv, &inv_block_sizes);
        double v = x[i].value - mean;
        s.n++;
        s.total += v;
        s.squares += v * v;
        block.n++;
        block.sum += v;
        inv.n++;
        inv.sum += v;
    }
    close_block(&s, &block, &inv_block_sizes);
    close_invocation(&s, &inv, &inv_block_sizes);
    return s;
}

static double positive(double x)
{
    return x > 0 ? x : 0;
}

/* Expected mean squares: turns: T; blocks: T + k1 B; invocations: T + k2 B + k3 I. */
struct stats_components stats_components(const struct stats_nested *x, size_t n)
{
    struct sums s = gather(x, n);
    struct stats_components c = {.invocations = (size_t)s.invs};
    if (s.invs < 2)
        return c;
    c.blocks_mean = s.blocks / s.invs;
    c.turns_mean = s.n / s.blocks;
    c.turn_known = s.n > s.blocks;
    c.block_known = s.blocks > s.invs;
    if (c.turn_known)
        c.turn = positive((s.squares - s.block_squares) / (s.n - s.blocks));
    if (c.block_known) {
        double df = s.blocks - s.invs, k1 = (s.n - s.block_in_inv) / df;
        c.block = positive(((s.block_squares - s.inv_squares) / df - c.turn) / k1);
    }
    double df = s.invs - 1;
    double k2 = (s.block_in_inv - s.block_sizes / s.n) / df, k3 = (s.n - s.inv_sizes / s.n) / df;
    double mean_square = (s.inv_squares - s.total * s.total / s.n) / df;
    double turn_part = c.turn_known ? c.turn : 0;
    c.invocation = positive((mean_square - turn_part - k2 * c.block) / k3);
    return c;
}

double stats_plan_variance(const struct stats_components *c, double n, double blocks, double turns)
{
    return (c->invocation + (c->block + c->turn / turns) / blocks) / n;
}

static double price_of_block(const struct stats_price *p, double turns)
{
    return p->block_ns + turns * p->turn_ns;
}

/* Best number of parts where a whole costs `whole` and has variance `between`, a part `part` and `within`. */
static int square_root_rule(double between, double within, double whole, double part, int most)
{
    double best = sqrt(within / between * (whole / part));
    if (!(best < most))
        return within > 0 ? most : 1;
    return best < 1 ? 1 : (int)lround(best);
}

struct stats_plan stats_plan(const struct stats_components *c, const struct stats_price *price, int most)
{
    struct stats_plan plan;
    plan.turns = square_root_rule(c->block, c->turn, price->block_ns, price->turn_ns, most);
    plan.blocks = square_root_rule(c->invocation, c->block + c->turn / plan.turns, price->start_ns,
                                   price_of_block(price, plan.turns), most);
    double now = stats_plan_variance(c, 1, c->blocks_mean, c->turns_mean) *
                 (price->start_ns + c->blocks_mean * price_of_block(price, c->turns_mean));
    double planned = stats_plan_variance(c, 1, plan.blocks, plan.turns) *
                     (price->start_ns + plan.blocks * price_of_block(price, plan.turns));
    plan.gain = planned > 0 ? fmax(1, now / planned) : 1;
    return plan;
}

/* Fall of the variance by a second's worth of each level: minus the derivative over the price. */
enum stats_level stats_plan_next(const struct stats_components *c, const struct stats_price *price)
{
    double n = (double)c->invocations, b = c->blocks_mean, t = c->turns_mean;
    double inv = stats_plan_variance(c, n, b, t) / n / (price->start_ns + b * price_of_block(price, t));
    double block = (c->block + c->turn / t) / (n * b * b) / (n * price_of_block(price, t));
    double turn = c->turn / (n * b * t * t) / (n * b * price->turn_ns);
    if (inv >= block && inv >= turn)
        return STATS_LEVEL_INVOCATION;
    return block >= turn ? STATS_LEVEL_BLOCK : STATS_LEVEL_TURN;
}
