/* Samplers beyond the recorded orders, which test_golden compares. */
#include "loader/sampler.h"

#include <math.h>

#include "fixture.h"

static struct sampler *make(const char *kind, const struct sampler_params *params)
{
    struct sampler *s;
    struct err err = {0};
    if (sampler_create(kind, params, &s, &err))
        fail_msg("%s", err.text);
    return s;
}

static int64_t list(const struct sampler *s, struct generator *g, int64_t **out)
{
    int64_t n;
    struct err err = {0};
    if (sampler_list(s, g, out, &n, &err))
        fail_msg("%s", err.text);
    return n;
}

static void refuse(const char *kind, const struct sampler_params *params, const char *words)
{
    struct sampler *s;
    struct err err = {0};
    assert_int_equal(sampler_create(kind, params, &s, &err), -EINVAL);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
}

static void every_kind_has_a_name_and_a_summary_and_is_found_by_it(void **state)
{
    (void)state;
    int64_t index = 0;
    double weight = 1;
    struct sampler_params inner_params = {.n = 1};
    struct sampler *inner = make("sequential", &inner_params);
    struct sampler_params params = {.n = 1,
                                    .indices = &index,
                                    .n_indices = 1,
                                    .weights = &weight,
                                    .num_replicas = 1,
                                    .inner = inner,
                                    .batch_size = 1};
    int kinds = 0;
    for (; sampler_kinds[kinds]; kinds++) {
        assert_true(sampler_kinds[kinds]->name[0] && sampler_kinds[kinds]->summary[0]);
        struct sampler *s = make(sampler_kinds[kinds]->name, &params);
        assert_string_equal(s->name, sampler_kinds[kinds]->name);
        assert_non_null(s->read);
        sampler_destroy(s);
    }
    assert_int_equal(kinds, 7);
    sampler_destroy(inner);
    refuse("alphabetical", &params, "there is no sampler 'alphabetical'");
}

static void published_permutations_come_out(void **state)
{
    (void)state;
    const int64_t one[10] = {5, 6, 1, 2, 0, 8, 9, 3, 7, 4}, forty_two[10] = {6, 5, 4, 0, 8, 9, 2, 1, 3, 7};
    int64_t out[10];
    struct generator g;
    generator_seed(&g, 1);
    generator_permutation(&g, 10, out);
    assert_memory_equal(out, one, sizeof out);
    generator_seed(&g, 42);
    assert_int_equal(generator_i64(&g), INT64_C(6909045637428952499));
    generator_permutation(&g, 10, out);
    assert_memory_equal(out, forty_two, sizeof out);
}

static void only_the_low_32_bits_of_a_seed_decide(void **state)
{
    (void)state;
    struct generator a, b;
    generator_seed(&a, 7);
    generator_seed(&b, 7 + (UINT64_C(5) << 32));
    for (int i = 0; i < 1000; i++)
        assert_int_equal(generator_u64(&a), generator_u64(&b));
}

static void the_published_seed_words_of_numpy_come_out(void **state)
{
    (void)state;
    const uint32_t expected[4] = {2884386318U, 1088094898U, 3523808998U, 3860348662U};
    uint32_t words[4];
    loader_numpy_seed((int64_t)UINT64_C(13434589827475259383), 4, words);
    assert_memory_equal(words, expected, sizeof words);
}

static void a_sequential_sampler_sees_a_dataset_that_grew(void **state)
{
    (void)state;
    struct fixture f = {.n = 3};
    struct dataset ds = fixture_map(&f);
    struct sampler_params params = {.dataset = &ds};
    struct sampler *s = make("sequential", &params);
    int64_t *order;
    assert_int_equal(list(s, NULL, &order), 3);
    free(order);
    f.n = 5;
    assert_int_equal(s->len(s->self), 5);
    assert_int_equal(list(s, NULL, &order), 5);
    free(order);
    sampler_destroy(s);
}

static void a_sampler_without_a_generator_takes_one_draw_of_the_loaders(void **state)
{
    (void)state;
    struct sampler_params params = {.n = 50};
    struct sampler *s = make("random", &params);
    struct generator loaders, expected, private;
    int64_t *order, wanted[50];
    generator_seed(&loaders, 3);
    expected = loaders;
    generator_seed(&private, (uint64_t)generator_i64(&expected));
    generator_permutation(&private, 50, wanted);
    assert_int_equal(list(s, &loaders, &order), 50);
    assert_memory_equal(order, wanted, sizeof wanted);
    assert_memory_equal(&loaders, &expected, sizeof loaders);
    free(order);
    sampler_destroy(s);
}

static void reading_piecemeal_draws_the_same_as_reading_at_once(void **state)
{
    (void)state;
    const struct sampler_params params[] = {{.n = 10, .num_samples = 47},
                                            {.n = 10, .num_samples = 77, .replacement = true}};
    for (int p = 0; p < 2; p++)
        for (int64_t piece = 1; piece < 50; piece += 7) {
            struct generator a, b;
            int64_t *whole, out[100], n = 0, got;
            void *epoch;
            struct sampler *s = make("random", &params[p]);
            generator_seed(&a, 9);
            b = a;
            int64_t total = list(s, &a, &whole);
            assert_int_equal(s->open(s->self, &b, &epoch, NULL), 0);
            while ((got = s->read(epoch, out + n, piece, NULL)) > 0)
                n += got;
            s->close(epoch);
            assert_int_equal(n, total);
            assert_memory_equal(out, whole, (size_t)n * sizeof *out);
            assert_memory_equal(&a, &b, sizeof a);
            free(whole);
            sampler_destroy(s);
        }
}

/* 100,000 draws of weights 1 : 0 : 3: the share of the last is 0.75 with a standard deviation of 0.00137. */
static void weights_decide_how_often_an_index_comes(void **state)
{
    (void)state;
    const double weights[3] = {1, 0, 3};
    struct sampler_params params = {.n = 3, .weights = weights, .num_samples = 100000};
    struct sampler *s = make("weighted", &params);
    struct generator g;
    int64_t *order, count[3] = {0};
    generator_seed(&g, 1);
    assert_int_equal(list(s, &g, &order), 100000);
    for (int i = 0; i < 100000; i++)
        count[order[i]]++;
    assert_int_equal(count[1], 0);
    assert_true(fabs((double)count[2] / 100000 - 0.75) < 5 * 0.00137);
    free(order);
    sampler_destroy(s);
}

/* One uniform draw of 53 bits an index, and the first cumulative weight that reaches it. */
static void a_weighted_draw_is_the_first_cumulative_weight_that_reaches_it(void **state)
{
    (void)state;
    const double weights[4] = {0.1, 0.2, 0.3, 0.4};
    int64_t out[200];
    struct generator g, twin;
    generator_seed(&g, 4);
    twin = g;
    assert_int_equal(generator_multinomial(&g, weights, 4, 200, out, NULL), 0);
    for (int i = 0; i < 200; i++) {
        double u = generator_uniform_f64(&twin), sum = 0.1 + 0.2 + 0.3 + 0.4;
        int64_t expected = u <= 0.1 / sum                 ? 0
                           : u <= (0.1 + 0.2) / sum       ? 1
                           : u <= (0.1 + 0.2 + 0.3) / sum ? 2
                                                          : 3;
        assert_int_equal(out[i], expected);
    }
}

static void bad_weights_are_refused(void **state)
{
    (void)state;
    const double bad[3][2] = {{-1, 2}, {0, 0}, {NAN, 1}};
    const char *const words[3] = {"weight 0 is -1", "the sum of the weights is 0", "weight 0 is "};
    int64_t out;
    struct generator g;
    generator_seed(&g, 1);
    for (int i = 0; i < 3; i++) {
        struct err err = {0};
        assert_int_equal(generator_multinomial(&g, bad[i], 2, 1, &out, &err), -EINVAL);
        assert_non_null(strstr(err.text, words[i]));
    }
    refuse("weighted", &(struct sampler_params){.n = 0}, "needs weights");
}

static void parameters_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    struct sampler_params rank = {.n = 10, .num_replicas = 3, .rank = 3};
    refuse("distributed", &rank, "Invalid rank 3, rank should be in the interval [0, 2]");
    rank.rank = -1;
    refuse("distributed", &rank, "Invalid rank -1");
    rank.num_replicas = 0;
    refuse("distributed", &rank, "num_replicas is 0");
    refuse("random", &(struct sampler_params){.n = 10, .num_samples = -1},
           "num_samples should be a positive integer");
    refuse("batch", &(struct sampler_params){.batch_size = 0},
           "batch_size should be a positive integer value");
    refuse("batch", &(struct sampler_params){.batch_size = 2}, "needs a sampler");
    refuse("subset_random", &(struct sampler_params){.n_indices = 2}, "needs its indices");
}

static void replicas_share_a_dataset_without_loss(void **state)
{
    (void)state;
    for (int64_t n = 1; n < 40; n += 3)
        for (int replicas = 1; replicas < 6; replicas++) {
            int seen[64] = {0};
            for (int rank = 0; rank < replicas; rank++) {
                struct sampler_params params = {.n = n, .num_replicas = replicas, .rank = rank, .seed = 5};
                struct sampler *s = make("distributed", &params);
                int64_t *order, got = list(s, NULL, &order);
                assert_int_equal(got, (n + replicas - 1) / replicas);
                for (int64_t i = 0; i < got; i++)
                    seen[order[i]]++;
                free(order);
                sampler_destroy(s);
            }
            for (int64_t i = 0; i < n; i++)
                assert_in_range(seen[i], 1, (replicas + n - 1) / n + 1);
        }
}

static void without_set_epoch_every_epoch_has_the_same_order(void **state)
{
    (void)state;
    struct sampler_params params = {.n = 100, .num_replicas = 2};
    struct sampler *s = make("distributed", &params);
    int64_t *a, *b, *c;
    list(s, NULL, &a);
    list(s, NULL, &b);
    sampler_set_epoch(s, 1);
    list(s, NULL, &c);
    assert_memory_equal(a, b, 50 * sizeof *a);
    assert_memory_not_equal(a, c, 50 * sizeof *a);
    free(a);
    free(b);
    free(c);
    sampler_destroy(s);
}

static void batches_of_a_sampler_keep_or_drop_the_short_tail(void **state)
{
    (void)state;
    struct sampler_params inner_params = {.n = 10};
    struct sampler *inner = make("sequential", &inner_params);
    for (int drop = 0; drop < 2; drop++) {
        struct sampler_params params = {.inner = inner, .batch_size = 4, .drop_last = drop};
        struct sampler *s = make("batch", &params);
        int64_t *order;
        assert_int_equal(s->batch_max, 4);
        assert_int_equal(s->len(s->self), drop ? 2 : 3);
        assert_int_equal(list(s, NULL, &order), drop ? 8 : 10);
        free(order);
        sampler_destroy(s);
    }
    sampler_destroy(inner);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(every_kind_has_a_name_and_a_summary_and_is_found_by_it),
        cmocka_unit_test(published_permutations_come_out),
        cmocka_unit_test(only_the_low_32_bits_of_a_seed_decide),
        cmocka_unit_test(the_published_seed_words_of_numpy_come_out),
        cmocka_unit_test(a_sequential_sampler_sees_a_dataset_that_grew),
        cmocka_unit_test(a_sampler_without_a_generator_takes_one_draw_of_the_loaders),
        cmocka_unit_test(reading_piecemeal_draws_the_same_as_reading_at_once),
        cmocka_unit_test(weights_decide_how_often_an_index_comes),
        cmocka_unit_test(a_weighted_draw_is_the_first_cumulative_weight_that_reaches_it),
        cmocka_unit_test(bad_weights_are_refused),
        cmocka_unit_test(parameters_that_make_no_sense_are_refused),
        cmocka_unit_test(replicas_share_a_dataset_without_loss),
        cmocka_unit_test(without_set_epoch_every_epoch_has_the_same_order),
        cmocka_unit_test(batches_of_a_sampler_keep_or_drop_the_short_tail),
    };
    return CASES(cases);
}
