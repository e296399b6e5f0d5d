#include "kernels/chain.h"

#include <errno.h>
#include <string.h>

#include "testing/cmocka.h"

static void assert_create_says(const char *text, int code, const char *says)
{
    struct tensor_shape in = {.dtype = TENSOR_F32, .ndim = 1, .dim = {3}};
    struct kernel_chain *c;
    struct err err = {0};
    int rc = kernel_chain_create(text, &in, &c, &err);
    if (rc != code || !strstr(err.text, says))
        fail_msg("%d '%s': expected '%s'", rc, err.text, says);
}

static void a_transform_of_a_plugin_runs_in_a_chain(void **state)
{
    (void)state;
    struct tensor_shape in = {.dtype = TENSOR_U8, .ndim = 3, .dim = {1, 2, 3}};
    struct kernel_chain *c;
    struct err err = {0};
    if (kernel_chain_create("copy,plugin=" PLUGIN_DIR "/squares.so:invert,normalize=unit", &in, &c, &err))
        fail_msg("%s", err.text);
    unsigned char x[6] = {0, 255, 0, 0, 0, 255};
    float y[6];
    struct tensor out = {.data = y};
    assert_int_equal(kernel_chain_run(c, &(struct tensor){in, x}, &out, NULL, NULL), 0);
    for (int i = 0; i < 6; i++)
        assert_true(y[i] == (x[i] ? 0 : 1));
    kernel_chain_destroy(c);
}

static void what_is_wrong_is_said_with_the_name_of_the_file(void **state)
{
    (void)state;
    assert_create_says("plugin", -EINVAL, "plugin needs its argument 'file'");
    assert_create_says("plugin=" PLUGIN_DIR "/squares.so", -EINVAL, "plugin needs its argument 'name'");
    assert_create_says("plugin=" PLUGIN_DIR "/squares.so:swirl", -EINVAL,
                       "squares.so has no transform 'swirl'");
    assert_create_says("plugin=" PLUGIN_DIR "/squares.so:invert", -EBADMSG,
                       "squares.so: invert: takes u8 only");
    assert_create_says("plugin=" PLUGIN_DIR "/no_run.so:nothing", -EBADMSG,
                       "transform 0 lacks its name or run");
    assert_create_says("plugin=" PLUGIN_DIR "/version.so:x", -EBADMSG, "made for version 99");
    assert_create_says("plugin=none.so:x", -ENOENT, "none.so");
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(a_transform_of_a_plugin_runs_in_a_chain),
        cmocka_unit_test(what_is_wrong_is_said_with_the_name_of_the_file),
    };
    return CASES(cases);
}
