/* The fingerprint of machines in words. */
#include "harness/fingerprint.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/cmocka.h"

static bool with_host;

static json_t *fingerprint(const char *topology, const char *allowed)
{
    struct harness_topology t;
    struct harness_budget b;
    struct err err = {0};
    char *text = NULL;
    if (harness_topology_parse(topology, allowed, &t, &err))
        fail_msg("%s", err.text);
    harness_budget_read("", 0, &b);
    assert_int_equal(harness_fingerprint(&t, &b, with_host, &text, &err), 0);
    json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(o);
    free(text);
    harness_topology_fini(&t);
    return o;
}

static const char *cpu(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(json_object_get(o, "cpu"), key));
    assert_non_null(s);
    return s;
}

static void the_layout_tells_where_each_cpu_lies(void **state)
{
    (void)state;
    json_t *o = fingerprint("pack:2 [numa] l3:1 core:2 pu:2", NULL);
    assert_string_equal(cpu(o, "layout"), "0:0.0.0.0 1:0.0.0.0 2:0.0.0.1 3:0.0.0.1 "
                                          "4:1.1.1.2 5:1.1.1.2 6:1.1.1.3 7:1.1.1.3");
    json_decref(o);
    o = fingerprint("pack:2 [numa] l3:1 core:2 pu:2", "3,6");
    const char *layout = cpu(o, "layout");
    assert_true(!strncmp(layout, "3:0.", 4) && strstr(layout, " 6:1."));
    json_decref(o);
}

static void one_machine_has_one_hash_and_another_has_another(void **state)
{
    (void)state;
    json_t *a = fingerprint("pack:1 core:2 pu:2", NULL), *b = fingerprint("pack:1 core:2 pu:2", NULL),
           *c = fingerprint("pack:2 core:1 pu:2", NULL);
    assert_string_equal(cpu(a, "topology_hash"), cpu(b, "topology_hash"));
    assert_string_not_equal(cpu(a, "topology_hash"), cpu(c, "topology_hash"));
    json_decref(a);
    json_decref(b);
    json_decref(c);
}

static void the_host_is_named_on_request_only(void **state)
{
    (void)state;
    char name[256] = "";
    assert_int_equal(gethostname(name, sizeof name - 1), 0);
    json_t *o = fingerprint("core:2 pu:1", NULL);
    assert_null(json_object_get(o, "host"));
    json_decref(o);
    with_host = true;
    o = fingerprint("core:2 pu:1", NULL);
    with_host = false;
    assert_string_equal(json_string_value(json_object_get(o, "host")), name);
    json_decref(o);
}

/* A peak and what it is made of, or none and why. */
static void the_peak_of_a_core_is_there_or_its_reason(void **state)
{
    (void)state;
    json_t *o = fingerprint("core:2 pu:1", NULL);
    const json_t *peak = json_object_get(json_object_get(o, "cpu"), "peak");
    if (json_is_null(json_object_get(peak, "gflop_per_s")))
        assert_true(json_string_length(json_object_get(peak, "unavailable")) > 5);
    else
        assert_true(json_number_value(json_object_get(peak, "gflop_per_s")) > 1 &&
                    json_object_get(peak, "from"));
    json_decref(o);
}

int main(void)
{
    const struct CMUnitTest cases[] = {
        cmocka_unit_test(the_layout_tells_where_each_cpu_lies),
        cmocka_unit_test(one_machine_has_one_hash_and_another_has_another),
        cmocka_unit_test(the_host_is_named_on_request_only),
        cmocka_unit_test(the_peak_of_a_core_is_there_or_its_reason),
    };
    return CASES(cases);
}
