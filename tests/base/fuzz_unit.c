/* Any text as a quantity or a shape: refused with a reason, or within its limits. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tensor.h"
#include "base/unit.h"
#include "testing/fuzz.h"

static void parse_numbers(const char *text)
{
    struct err err = {0};
    int64_t n;
    double x;
    char buf[UNIT_TEXT];
    (void)buf; /* only asserts look at it */
    if (!unit_parse_int("x", text, -5, 4096, &n, &err))
        assert(n >= -5 && n <= 4096 && !err.code);
    else
        assert(err.code && err.text[0]);
    if (!unit_parse_real("x", text, -1, 1, &x, NULL))
        assert(x >= -1 && x <= 1);
    if (!unit_parse_ns("x", text, 1, 1e18, &x, NULL))
        assert(x >= 1 && x <= 1e18 && unit_format_ns(buf, x, 3));
    if (!unit_parse_ratio("x", text, 0, 1, &x, NULL))
        assert(x >= 0 && x <= 1);
    if (!unit_parse_bytes("x", text, 0, 1 << 30, &n, NULL))
        assert(n >= 0 && n <= 1 << 30 && unit_format_bytes(buf, (double)n, 3));
}

static void parse_shape(const char *text)
{
    struct tensor_shape shape;
    char buf[TENSOR_TEXT];
    if (tensor_shape_parse("x", text, &shape, NULL))
        return;
    struct tensor_shape again;
    assert(tensor_elements(&shape) >= 1);
    assert(!tensor_shape_parse("x", tensor_shape_format(buf, &shape), &again, NULL));
    assert(tensor_shape_equal(&shape, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    if (!text)
        abort();
    parse_numbers(text);
    parse_shape(text);
    free(text);
    return 0;
}
