/* The header: magic, version, length, and a Python dictionary of three keys. Source: NEP 1 and numpy.lib.format.
 *
 * What is read is the subset that NumPy writes: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, keys in any
 * order, each once. */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "files.h"
#include "npy.h"

enum { MAGIC_BYTES = 8, HEADER_MAX = 65536 };
enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

static const char magic[] = "\x93NUMPY";

/* The text still to be read. */
struct cursor {
    const char *p, *end;
};

static void skip_spaces(struct cursor *c)
{
    while (c->p < c->end && (*c->p == ' ' || *c->p == '\n' || *c->p == '\t'))
        c->p++;
}

static bool take(struct cursor *c, char want)
{
    skip_spaces(c);
    if (c->p == c->end || *c->p != want)
        return false;
    c->p++;
    return true;
}

static bool take_word(struct cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_spaces(c);
    if ((size_t)(c->end - c->p) < n || memcmp(c->p, word, n) != 0)
        return false;
    c->p += n;
    return true;
}

/* 'text' or "text" of at most size - 1 bytes. */
static bool take_string(struct cursor *c, char *out, size_t size)
{
    skip_spaces(c);
    if (c->p == c->end || (*c->p != '\'' && *c->p != '"'))
        return false;
    char quote = *c->p++;
    size_t n = 0;
    while (c->p < c->end && *c->p != quote && n + 1 < size)
        out[n++] = *c->p++;
    out[n] = '\0';
    return c->p < c->end && *c->p++ == quote;
}

static bool take_number(struct cursor *c, int64_t *out)
{
    skip_spaces(c);
    int64_t value = 0;
    const char *start = c->p;
    for (; c->p < c->end && *c->p >= '0' && *c->p <= '9'; c->p++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *c->p - '0', &value))
            return false;
    *out = value;
    return c->p > start;
}

static int parse_descr(struct cursor *c, const char *name, struct data__npy *n, struct err *err)
{
    char text[32];
    if (!take_string(c, text, sizeof text))
        return err_set(err, -EBADMSG, "%s: descr is not a plain type: records are not read", name);
    if (text[0] == '|' && text[1] == 'O')
        return err_set(err, -EBADMSG,
                       "%s: descr '%s' holds Python objects, which only running code could read", name, text);
    n->swapped = text[0] == '>';
    n->kind = text[1];
    int size = strlen(text) == 3 && text[2] >= '1' && text[2] <= '8' ? text[2] - '0' : 0;
    n->item_bytes = size;
    bool order = text[0] == '<' || text[0] == '>' || text[0] == '|' || text[0] == '=';
    bool known = (n->kind == 'f' && (size == 2 || size == 4 || size == 8)) ||
                 ((n->kind == 'i' || n->kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8)) ||
                 (n->kind == 'b' && size == 1);
    if (!order || !known || (text[0] == '|' && size > 1))
        return err_set(err, -EBADMSG, "%s: descr '%s' is not a float, integer or bool of 1 to 8 bytes", name,
                       text);
    if (n->kind == 'f')
        n->dtype = size == 8 ? TENSOR_F64 : TENSOR_F32;
    else if (size == 1)
        n->dtype = n->kind == 'i' ? TENSOR_I16 : TENSOR_U8;
    else if (size == 2)
        n->dtype = n->kind == 'i' ? TENSOR_I16 : TENSOR_F32;
    else
        n->dtype = TENSOR_F64;
    return 0;
}

static int parse_order(struct cursor *c, const char *name, struct data__npy *n, struct err *err)
{
    n->fortran = take_word(c, "True");
    if (!n->fortran && !take_word(c, "False"))
        return err_set(err, -EBADMSG, "%s: fortran_order is neither True nor False", name);
    return 0;
}

static int parse_shape(struct cursor *c, const char *name, struct data__npy *n, struct err *err)
{
    if (!take(c, '('))
        return err_set(err, -EBADMSG, "%s: shape is not a tuple", name);
    while (!take(c, ')')) {
        int64_t dim;
        if (!take_number(c, &dim))
            return err_set(err, -EBADMSG, "%s: shape has something that is no size", name);
        if (n->ndim == NPY_DIMS_MAX)
            return err_set(err, -EBADMSG, "%s: shape has more than %d dimensions", name, NPY_DIMS_MAX);
        n->dim[n->ndim++] = dim;
        if (!take(c, ',') && (skip_spaces(c), c->p == c->end || *c->p != ')'))
            return err_set(err, -EBADMSG, "%s: shape is not closed", name);
    }
    return 0;
}

static int parse_pair(struct cursor *c, const char *name, struct data__npy *n, unsigned *seen,
                      struct err *err)
{
    char key[32];
    if (!take_string(c, key, sizeof key) || !take(c, ':'))
        return err_set(err, -EBADMSG, "%s: the header is not a dictionary", name);
    unsigned bit = !strcmp(key, "descr")           ? SEEN_DESCR
                   : !strcmp(key, "fortran_order") ? SEEN_ORDER
                   : !strcmp(key, "shape")         ? SEEN_SHAPE
                                                   : 0;
    if (!bit || *seen & bit)
        return err_set(err, -EBADMSG, "%s: the header has the key '%s'%s", name, key, bit ? " twice" : "");
    *seen |= bit;
    return bit == SEEN_DESCR   ? parse_descr(c, name, n, err)
           : bit == SEEN_ORDER ? parse_order(c, name, n, err)
                               : parse_shape(c, name, n, err);
}

static int parse_dictionary(struct cursor *c, const char *name, struct data__npy *n, struct err *err)
{
    unsigned seen = 0;
    if (!take(c, '{'))
        return err_set(err, -EBADMSG, "%s: the header is not a dictionary", name);
    while (!take(c, '}')) {
        int rc = parse_pair(c, name, n, &seen, err);
        if (rc)
            return rc;
        if (!take(c, ',') && (skip_spaces(c), c->p == c->end || *c->p != '}'))
            return err_set(err, -EBADMSG, "%s: the header is not a dictionary", name);
    }
    if (seen != SEEN_ALL)
        return err_set(err, -EBADMSG, "%s: the header lacks %s", name,
                       !(seen & SEEN_DESCR)   ? "descr"
                       : !(seen & SEEN_ORDER) ? "fortran_order"
                                              : "shape");
    return 0;
}

/* The data must be as long as the shape says. */
static int check_bytes(const struct data__npy *n, size_t bytes, const char *name, struct err *err)
{
    int64_t want = n->item_bytes;
    for (int i = 0; i < n->ndim; i++) {
        if (n->dim[i] == 0)
            return err_set(err, -EBADMSG, "%s: shape has a 0: the array is empty", name);
        if (__builtin_mul_overflow(want, n->dim[i], &want))
            return err_set(err, -EBADMSG, "%s: shape asks for more than 2^63 bytes", name);
    }
    if ((uint64_t)want > bytes - n->offset)
        return err_set(err, -EBADMSG,
                       "%s: cut off: shape and descr ask for %lld bytes behind offset %zu, there are %zu",
                       name, (long long)want, n->offset, bytes - n->offset);
    return 0;
}

int data__npy_parse(const unsigned char *p, size_t bytes, const char *name, struct data__npy *out,
                    struct err *err)
{
    *out = (struct data__npy){0};
    if (bytes < MAGIC_BYTES + 2 || memcmp(p, magic, 6) != 0)
        return err_set(err, -EBADMSG, "%s: not an npy file: no \\x93NUMPY at its start", name);
    int version = p[6];
    if (version < 1 || version > 3 || p[7] != 0)
        return err_set(err, -EBADMSG, "%s: npy version %d.%d is not 1.0, 2.0 or 3.0", name, version, p[7]);
    size_t head = MAGIC_BYTES + (version == 1 ? 2 : 4);
    if (bytes < head)
        return err_set(err, -EBADMSG, "%s: cut off in the length of the header", name);
    size_t length = version == 1 ? data__u16(p + MAGIC_BYTES) : data__u32(p + MAGIC_BYTES);
    if (length > HEADER_MAX)
        return err_set(err, -EBADMSG, "%s: a header of %zu bytes is over the limit of %d", name, length,
                       HEADER_MAX);
    if (length > bytes - head)
        return err_set(err, -EBADMSG, "%s: cut off: a header of %zu bytes, the file has %zu", name, length,
                       bytes);
    out->offset = head + length;
    struct cursor c = {(const char *)p + head, (const char *)p + out->offset};
    int rc = parse_dictionary(&c, name, out, err);
    return rc ? rc : check_bytes(out, bytes, name, err);
}

bool data__npy_is_plain(const struct data__npy *n)
{
    bool same = (n->kind == 'f' && n->item_bytes >= 4) || (n->kind == 'i' && n->item_bytes == 2) ||
                (n->kind != 'i' && n->item_bytes == 1);
    return same && (!n->swapped || n->item_bytes == 1) && (!n->fortran || n->ndim == 1);
}

/* IEEE 754 binary16. */
static double half_to_double(uint64_t bits)
{
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = (double)(bits & 1023), sign = bits >> 15 ? -1 : 1;
    if (exponent == 0)
        return sign * ldexp(mantissa, -24);
    if (exponent == 31)
        return mantissa > 0 ? NAN : sign * INFINITY;
    return sign * ldexp(1024 + mantissa, exponent - 25);
}

static double value_of(const struct data__npy *n, uint64_t bits)
{
    float f32;
    double f64;
    uint32_t low = (uint32_t)bits;
    int shift = 64 - 8 * n->item_bytes;
    switch (n->kind) {
    case 'f':
        if (n->item_bytes == 2)
            return half_to_double(bits);
        memcpy(&f32, &low, sizeof f32);
        memcpy(&f64, &bits, sizeof f64);
        return n->item_bytes == 4 ? f32 : f64;
    case 'i':
        return (double)((int64_t)(bits << shift) >> shift);
    default:
        return (double)bits;
    }
}

void data__npy_convert(const struct data__npy *n, const unsigned char *data, int64_t at, void *out,
                       int64_t to)
{
    const unsigned char *p = data + at * n->item_bytes;
    uint64_t bits = 0;
    for (int i = 0; i < n->item_bytes; i++)
        bits |= (uint64_t)p[n->swapped ? n->item_bytes - 1 - i : i] << (8 * i);
    double value = value_of(n, bits);
    switch (n->dtype) {
    case TENSOR_F32:
        ((float *)out)[to] = (float)value;
        break;
    case TENSOR_U8:
        ((uint8_t *)out)[to] = (uint8_t)value;
        break;
    case TENSOR_I16:
        ((int16_t *)out)[to] = (int16_t)value;
        break;
    case TENSOR_F64:
        ((double *)out)[to] = value;
        break;
    }
}
