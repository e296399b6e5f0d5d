#include "results/stats/design.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cmocka.h"

enum { MOST = 12 };

struct tally {
    int slot[MOST][MOST * 2]; /* [arm][slot] */
    int after[MOST][MOST];    /* [arm][the one before it] */
};

static void count_blocks(const struct stats_design *d, size_t k, int blocks_in_all, struct tally *t)
{
    int arms[MOST], order[MOST * 2];
    for (size_t i = 0; i < k; i++)
        arms[i] = (int)i;
    memset(t, 0, sizeof *t);
    for (int g = 0; g < blocks_in_all; g++) {
        int invocation = d->first_invocation + g / d->blocks, block = 1 + g % d->blocks;
        assert_int_equal(stats_design_block(d, invocation, block, arms, k, order), 0);
        for (size_t s = 0; s < stats_design_slots(k); s++) {
            t->slot[order[s]][s]++;
            if (s)
                t->after[order[s]][order[s - 1]]++;
        }
    }
}

/* Whether every arm was in each slot, and after each other arm, equally often. */
static bool is_balanced(const struct tally *t, size_t k)
{
    for (size_t a = 0; a < k; a++) {
        for (size_t s = 0; s < stats_design_slots(k); s++)
            if (t->slot[a][s] != t->slot[0][0])
                return false;
        for (size_t b = 0; b < k; b++)
            if (a != b && t->after[a][b] != t->after[0][1])
                return false;
    }
    return true;
}

static void each_arm_is_in_each_slot_and_after_each_other_equally_often(void **state)
{
    (void)state;
    for (size_t k = 1; k <= MOST; k++) {
        struct stats_design d = {.seed = 7 * k, .blocks = 3, .first_invocation = 5};
        struct tally t;
        for (int cycles = 1; cycles <= 3; cycles++) {
            count_blocks(&d, k, cycles * (int)stats_design_cycle(k), &t);
            assert_true(is_balanced(&t, k));
            if (k > 1)
                assert_true(t.after[0][1] > 0);
        }
    }
}

/* The twin that must fail: a part of a cycle is not balanced, so the check can say no. */
static void a_part_of_a_cycle_is_not_balanced(void **state)
{
    (void)state;
    for (size_t k = 2; k <= MOST; k++) {
        struct stats_design d = {.seed = k, .blocks = 3};
        struct tally t;
        count_blocks(&d, k, (int)stats_design_cycle(k) - 1, &t);
        assert_false(is_balanced(&t, k));
    }
}

static void two_arms_come_as_abba_or_baab(void **state)
{
    (void)state;
    struct stats_design d = {.seed = 1, .blocks = 10};
    int arms[] = {30, 40}, order[4], abba = 0;
    for (int b = 1; b <= 10; b++) {
        assert_int_equal(stats_design_block(&d, 3, b, arms, 2, order), 0);
        assert_int_equal(order[0], order[3]);
        assert_int_equal(order[1], order[2]);
        assert_int_equal(order[0] + order[1], 70);
        abba += order[0] == 30;
    }
    assert_int_equal(abba, 5);
}

static void a_block_can_be_had_again_and_seeds_differ(void **state)
{
    (void)state;
    int arms[] = {0, 1, 2, 3, 4, 5}, a[6], b[6], differ = 0;
    for (int block = 0; block <= 8; block++) {
        struct stats_design d = {.seed = 11, .blocks = 8};
        stats_design_block(&d, 2, block, arms, 6, a);
        stats_design_block(&d, 2, block, arms, 6, b);
        assert_memory_equal(a, b, sizeof a);
        d.seed = 12;
        stats_design_block(&d, 2, block, arms, 6, b);
        differ += memcmp(a, b, sizeof a) != 0;
    }
    assert_true(differ >= 6);
}

static void arms_that_are_left_keep_their_names(void **state)
{
    (void)state;
    struct stats_design d = {.seed = 3, .blocks = 4, .first_invocation = 12};
    int arms[] = {1, 4, 9}, order[3];
    for (int block = 0; block <= 4; block++) {
        stats_design_block(&d, 13, block, arms, 3, order);
        assert_int_equal(order[0] + order[1] + order[2], 14);
        assert_int_equal(order[0] * order[1] * order[2], 36);
    }
}

static void every_cpu_comes_to_every_position(void **state)
{
    (void)state;
    int seen[4][4] = {{0}};
    for (int inv = 0; inv < 4000; inv++) {
        int cpus[] = {0, 1, 2, 3}, sum = 0;
        stats_design_cpus(99, inv, cpus, 4);
        for (int i = 0; i < 4; i++) {
            seen[i][cpus[i]]++;
            sum += 1 << cpus[i];
        }
        assert_int_equal(sum, 15);
    }
    /* binomial, 4000 at 1/4: mean 1000, five standard deviations are 137 */
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 4; c++)
            assert_in_range(seen[i][c], 863, 1137);
}

static void groups_share_the_reference_and_fit(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 12; n++) {
        for (size_t capacity = n == 1 ? 1 : 2; capacity <= 13; capacity++) {
            size_t group[12], size[12] = {0};
            size_t ngroups = stats_design_groups(n, capacity, n / 2, group);
            for (size_t a = 0; a < n; a++)
                size[group[a]] += a != n / 2;
            for (size_t g = 0; g < ngroups; g++)
                assert_true(size[g] + 1 <= capacity && (n == 1 || size[g] >= 1));
            assert_true(n > capacity || ngroups == 1);
        }
    }
}

static void looks_that_are_left_divide_the_way_into_equal_ratios(void **state)
{
    (void)state;
    assert_true(fabs(stats_design_next_look(12, 1200, 2) - 120) < 1e-9);
    assert_true(fabs(stats_design_next_look(120, 1200, 1) - 1200) < 1e-9);
    assert_true(fabs(stats_design_next_look(10, 10000, 3) - 100) < 1e-9);
    assert_true(stats_design_next_look(12, 30, 2) == 24); /* never less than twice */
    assert_true(stats_design_next_look(12, 0, 1) == 24);
}

int main(void)
{
    const struct CMUnitTest list[] = {
        cmocka_unit_test(looks_that_are_left_divide_the_way_into_equal_ratios),
        cmocka_unit_test(each_arm_is_in_each_slot_and_after_each_other_equally_often),
        cmocka_unit_test(a_part_of_a_cycle_is_not_balanced),
        cmocka_unit_test(two_arms_come_as_abba_or_baab),
        cmocka_unit_test(a_block_can_be_had_again_and_seeds_differ),
        cmocka_unit_test(arms_that_are_left_keep_their_names),
        cmocka_unit_test(every_cpu_comes_to_every_position),
        cmocka_unit_test(groups_share_the_reference_and_fit),
    };
    return CASES(list);
}
