/* Every case of tests/golden, every field of it: a field that no comparison has asked for fails the test. */
#include <fcntl.h>
#include <jansson.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"
#include "loader/generator.h"
#include "loader/sampler.h"
#include "loader/streams.h"
#include "testing/cmocka.h"

/* A case whose fields are ticked off as they are read. */
struct golden {
    const char *file;
    size_t number;
    json_t *fields, *read;
};

static const json_t *field(struct golden *g, const char *name)
{
    json_t *value = json_object_get(g->fields, name);
    if (!value)
        fail_msg("%s, case %zu has no field '%s'", g->file, g->number, name);
    json_object_set_new(g->read, name, json_true());
    return value;
}

static int64_t integer(struct golden *g, const char *name)
{
    const json_t *value = field(g, name);
    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static bool boolean(struct golden *g, const char *name)
{
    return json_is_true(field(g, name));
}

static bool has(const struct golden *g, const char *name)
{
    return json_object_get(g->fields, name) != NULL;
}

static void check_all_read(const struct golden *g)
{
    const char *name;
    json_t *value;
    json_object_foreach (g->fields, name, value)
        if (!json_object_get(g->read, name))
            fail_msg("%s, case %zu: field '%s' was not compared", g->file, g->number, name);
}

static void for_each_case(const char *file, void (*check)(struct golden *g))
{
    char path[512];
    json_error_t error;
    snprintf(path, sizeof path, "%s/golden/%s", TEST_SOURCE_DIR, file);
    json_t *cases = json_load_file(path, 0, &error);
    if (!cases)
        fail_msg("%s: %s", path, error.text);
    assert_true(json_array_size(cases) > 0);
    for (size_t i = 0; i < json_array_size(cases); i++) {
        struct golden g = {file, i, json_array_get(cases, i), json_object()};
        check(&g);
        check_all_read(&g);
        json_decref(g.read);
    }
    json_decref(cases);
}

/* A list given by its length, its first 64 and its hash: all three are compared. */
static void check_order(const json_t *order, const int64_t *got, int64_t n)
{
    char hex[SHA256_DIGEST_STRING_LENGTH];
    const json_t *first = json_object_get(order, "first");
    assert_int_equal(json_object_size(order), 3);
    assert_int_equal(json_integer_value(json_object_get(order, "n")), n);
    assert_int_equal(json_array_size(first), n < 64 ? n : 64);
    for (size_t i = 0; i < json_array_size(first); i++)
        assert_int_equal(json_integer_value(json_array_get(first, i)), got[i]);
    assert_string_equal(json_string_value(json_object_get(order, "sha256_le_i64")),
                        SHA256Data((const uint8_t *)got, (size_t)n * sizeof *got, hex));
}

static void check_integers(const json_t *list, const int64_t *got, size_t n)
{
    assert_int_equal(json_array_size(list), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(json_integer_value(json_array_get(list, i)), got[i]);
}

static void check_f32(const json_t *list, size_t i, float got)
{
    char hex[9];
    uint32_t bits;
    memcpy(&bits, &got, sizeof bits);
    snprintf(hex, sizeof hex, "%08x", bits);
    assert_string_equal(json_string_value(json_array_get(list, i)), hex);
}

static void check_f64(const json_t *list, size_t i, double got)
{
    char hex[17];
    uint64_t bits;
    memcpy(&bits, &got, sizeof bits);
    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)bits);
    assert_string_equal(json_string_value(json_array_get(list, i)), hex);
}

static void check_state(const json_t *expected, const struct generator *g)
{
    unsigned char state[GENERATOR_STATE_BYTES];
    char hex[SHA256_DIGEST_STRING_LENGTH];
    generator_save(g, state);
    assert_string_equal(json_string_value(expected), SHA256Data(state, sizeof state, hex));
}

static void check_bounded(const json_t *expected, uint64_t seed)
{
    const char *bound;
    json_t *draws;
    struct generator g;
    generator_seed(&g, seed);
    json_object_foreach ((json_t *)expected, bound, draws) {
        assert_int_equal(json_array_size(draws), 8);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(json_integer_value(json_array_get(draws, i)),
                             generator_below(&g, strtoll(bound, NULL, 10)));
    }
}

static void check_generator(struct golden *c)
{
    uint64_t seed = (uint64_t)integer(c, "seed");
    struct generator g;
    int64_t list[1000];
    const json_t *f32 = field(c, "rand_f32_hex"), *f64 = field(c, "rand_f64_hex");
    generator_seed(&g, seed);
    for (int i = 0; i < 4; i++)
        list[i] = generator_i64(&g);
    check_integers(field(c, "random_int64"), list, 4);
    generator_seed(&g, seed);
    assert_int_equal(json_array_size(f32), 8);
    for (size_t i = 0; i < 8; i++)
        check_f32(f32, i, generator_uniform_f32(&g));
    generator_seed(&g, seed);
    assert_int_equal(json_array_size(f64), 4);
    for (size_t i = 0; i < 4; i++)
        check_f64(f64, i, generator_uniform_f64(&g));
    check_bounded(field(c, "randint"), seed);
    generator_seed(&g, seed);
    generator_permutation(&g, 1000, list);
    assert_int_equal(integer(c, "state_bytes"), GENERATOR_STATE_BYTES);
    check_state(field(c, "state_after_randperm_1000_sha256"), &g);
    generator_permutation(&g, 10, list);
    check_integers(field(c, "randperm_10_after_that"), list, 10);
}

static void generator_draws_are_the_references(void **state)
{
    (void)state;
    for_each_case("generator.json", check_generator);
}

static void a_generator_state_loads_and_saves_both_ways(void **state)
{
    (void)state;
    unsigned char theirs[GENERATOR_STATE_BYTES + 1], ours[GENERATOR_STATE_BYTES];
    int64_t a[1000], b[1000];
    struct generator g, loaded;
    int fd = open(TEST_SOURCE_DIR "/golden/generator_state.bin", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, theirs, sizeof theirs), GENERATOR_STATE_BYTES);
    close(fd);
    generator_seed(&g, 7);
    generator_permutation(&g, 1000, a);
    generator_save(&g, ours);
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_int_equal(generator_load(&loaded, theirs, GENERATOR_STATE_BYTES, NULL), 0);
    generator_permutation(&g, 1000, a);
    generator_permutation(&loaded, 1000, b);
    assert_memory_equal(a, b, sizeof a);
}

static void check_worker_seed(struct golden *c)
{
    int64_t base = integer(c, "base_seed");
    int id = (int)integer(c, "worker_id");
    struct loader_streams s;
    uint32_t words[4];
    const json_t *torch = field(c, "torch_rand_f32_hex"), *python = field(c, "python_random_f64_hex");
    const json_t *numpy = field(c, "numpy_rand_f64_hex"), *seed = field(c, "numpy_seed_u32");
    assert_int_equal(integer(c, "seed"), base + id);
    loader_streams_seed(&s, base, id);
    loader_numpy_seed(base, id, words);
    assert_int_equal(json_array_size(torch), 4);
    assert_int_equal(json_array_size(python), 4);
    assert_int_equal(json_array_size(numpy), 4);
    assert_int_equal(json_array_size(seed), 4);
    for (size_t i = 0; i < 4; i++) {
        check_f32(torch, i, generator_uniform_f32(&s.torch));
        check_f64(python, i, mt19937_uniform(&s.python));
        check_f64(numpy, i, mt19937_uniform(&s.numpy));
        assert_int_equal(json_integer_value(json_array_get(seed, i)), words[i]);
    }
}

static void the_three_streams_of_a_worker_are_the_references(void **state)
{
    (void)state;
    for_each_case("worker_seed.json", check_worker_seed);
}

static void check_epochs(struct golden *c, const char *kind, const struct sampler_params *params,
                         struct generator *g)
{
    const json_t *epochs = field(c, "epochs");
    struct sampler *s;
    struct err err = {0};
    assert_int_equal(sampler_create(kind, params, &s, &err), 0);
    assert_int_equal(json_array_size(epochs), 3);
    for (size_t e = 0; e < 3; e++) {
        int64_t *order, n;
        assert_int_equal(sampler_list(s, g, &order, &n, &err), 0);
        assert_int_equal(s->len(s->self), n);
        check_order(json_array_get(epochs, e), order, n);
        free(order);
    }
    sampler_destroy(s);
}

static void check_distributed(struct golden *c)
{
    const json_t *ranks = field(c, "ranks");
    struct sampler_params params = {.n = integer(c, "n"),
                                    .num_replicas = (int)integer(c, "num_replicas"),
                                    .in_order = !boolean(c, "shuffle"),
                                    .drop_last = boolean(c, "drop_last"),
                                    .seed = (uint64_t)integer(c, "seed")};
    assert_int_equal(json_array_size(ranks), params.num_replicas);
    for (; params.rank < params.num_replicas; params.rank++) {
        const json_t *epochs = json_array_get(ranks, (size_t)params.rank);
        struct sampler *s;
        assert_int_equal(sampler_create("distributed", &params, &s, NULL), 0);
        assert_int_equal(json_array_size(epochs), 2);
        for (size_t e = 0; e < 2; e++) {
            int64_t *order, n;
            sampler_set_epoch(s, e);
            assert_int_equal(sampler_list(s, NULL, &order, &n, NULL), 0);
            assert_int_equal(s->len(s->self), n);
            check_integers(json_array_get(epochs, e), order, (size_t)n);
            free(order);
        }
        sampler_destroy(s);
    }
}

static void check_sampler(struct golden *c)
{
    const char *kind = json_string_value(field(c, "sampler"));
    if (!strcmp(kind, "distributed")) {
        check_distributed(c);
        return;
    }
    struct generator g;
    generator_seed(&g, (uint64_t)integer(c, "seed"));
    struct sampler_params params = {.generator = &g, .replacement = !strcmp(kind, "random_replacement")};
    int64_t *indices = NULL;
    if (!strcmp(kind, "subset_random")) {
        const json_t *list = field(c, "indices");
        params.n_indices = (int64_t)json_array_size(list);
        indices = calloc(json_array_size(list), sizeof *indices);
        for (size_t i = 0; i < json_array_size(list); i++)
            indices[i] = json_integer_value(json_array_get(list, i));
        params.indices = indices;
    } else {
        kind = "random";
        params.n = integer(c, "n");
        params.num_samples = has(c, "num_samples") ? integer(c, "num_samples") : 0;
    }
    check_epochs(c, kind, &params, &g);
    free(indices);
}

static void samplers_give_the_references_orders(void **state)
{
    (void)state;
    for_each_case("sampler.json", check_sampler);
}

static enum loader_backend backend;

static void check_batch(const json_t *expected, const struct batch *b)
{
    const json_t *samples = json_object_get(expected, "samples"),
                 *rand = json_object_get(expected, "rand_f32_hex");
    assert_int_equal(json_object_size(expected), 4);
    assert_int_equal(json_integer_value(json_object_get(expected, "worker")), b->worker);
    assert_int_equal(json_integer_value(json_object_get(expected, "worker_seed")), b->worker_seed);
    assert_int_equal(json_array_size(samples), b->samples);
    assert_int_equal(json_array_size(rand), b->samples);
    for (int64_t i = 0; i < b->samples; i++) {
        struct golden_sample s;
        assert_int_equal(b->bytes[i], sizeof s);
        memcpy(&s, b->data + b->offset[i], sizeof s);
        assert_int_equal(json_integer_value(json_array_get(samples, (size_t)i)), s.value);
        assert_int_equal(b->index[i], s.value);
        check_f32(rand, (size_t)i, s.rand);
        assert_int_equal(s.worker, b->worker);
        assert_int_equal(s.seed, b->worker_seed);
    }
}

static void check_epoch(const json_t *batches, struct loader *l)
{
    struct loader_iter *it;
    struct err err = {0};
    const struct batch *b;
    size_t n = 0;
    int rc = loader_iter_open(l, &it, &err);
    if (rc)
        fail_msg("%s", err.text);
    for (; (rc = loader_next(it, &b, &err)) == 0; n++) {
        assert_int_equal(b->number, n);
        assert_true(n < json_array_size(batches));
        check_batch(json_array_get(batches, n), b);
        loader_release(it, b);
    }
    if (rc != -ENODATA)
        fail_msg("%s", err.text);
    assert_int_equal(n, json_array_size(batches));
    assert_int_equal(loader_iter_outstanding(it), 0);
    loader_iter_close(it);
}

static void check_loader(struct golden *c)
{
    struct golden_data data = {0};
    bool map = !strcmp(json_string_value(field(c, "dataset")), "map");
    if (map) {
        data.end = integer(c, "n");
    } else {
        data.start = integer(c, "start");
        data.end = integer(c, "end");
        data.shard = json_string_value(field(c, "shard"));
    }
    struct dataset ds = map ? golden_map(&data) : golden_stream(&data);
    struct generator g;
    struct loader_config cfg = {.dataset = &ds,
                                .generator = &g,
                                .num_workers = (int)integer(c, "num_workers"),
                                .batch_size = integer(c, "batch_size"),
                                .shuffle = map && boolean(c, "shuffle"),
                                .drop_last = boolean(c, "drop_last"),
                                .persistent_workers = boolean(c, "persistent_workers"),
                                .prefetch_factor = (int)integer(c, "prefetch_factor"),
                                .seed = (uint64_t)integer(c, "seed"),
                                .backend = backend};
    if (!cfg.num_workers)
        cfg.prefetch_factor = 0;
    generator_seed(&g, cfg.seed);
    const json_t *epochs = field(c, "epochs");
    struct loader *l;
    struct err err = {0};
    if (loader_create(&cfg, &l, &err))
        fail_msg("%s", err.text);
    assert_true(json_array_size(epochs) > 0);
    for (size_t e = 0; e < json_array_size(epochs); e++)
        check_epoch(json_array_get(epochs, e), l);
    check_state(field(c, "generator_state_sha256"), &g);
    loader_destroy(l);
}

static void map_style_runs_are_the_references_with_processes(void **state)
{
    (void)state;
    backend = LOADER_BACKEND_PROCESS;
    for_each_case("loader_map.json", check_loader);
}

static void map_style_runs_are_the_references_with_threads(void **state)
{
    (void)state;
    backend = LOADER_BACKEND_THREAD;
    for_each_case("loader_map.json", check_loader);
}

static void iterable_runs_are_the_references_with_processes(void **state)
{
    (void)state;
    backend = LOADER_BACKEND_PROCESS;
    for_each_case("loader_iterable.json", check_loader);
}

static void iterable_runs_are_the_references_with_threads(void **state)
{
    (void)state;
    backend = LOADER_BACKEND_THREAD;
    for_each_case("loader_iterable.json", check_loader);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(generator_draws_are_the_references),
        cmocka_unit_test(a_generator_state_loads_and_saves_both_ways),
        cmocka_unit_test(the_three_streams_of_a_worker_are_the_references),
        cmocka_unit_test(samplers_give_the_references_orders),
        cmocka_unit_test(map_style_runs_are_the_references_with_processes),
        cmocka_unit_test(map_style_runs_are_the_references_with_threads),
        cmocka_unit_test(iterable_runs_are_the_references_with_processes),
        cmocka_unit_test(iterable_runs_are_the_references_with_threads),
    };
    return CASES(cases);
}
