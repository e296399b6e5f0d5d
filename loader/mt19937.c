/* The Mersenne Twister MT19937, twisted a block of 624 words at a time. */
#include "loader/generator.h"

#define SHIFT 397

void mt19937_seed(struct mt19937 *m, uint32_t seed)
{
    m->state[0] = seed;
    for (uint32_t i = 1; i < MT19937_WORDS; i++)
        m->state[i] = UINT32_C(1812433253) * (m->state[i - 1] ^ (m->state[i - 1] >> 30)) + i;
    m->next = 0;
    m->left = 1;
    m->twists = 0;
}

void mt19937_seed_array(struct mt19937 *m, const uint32_t *key, size_t n)
{
    mt19937_seed(m, 19650218);
    uint32_t *s = m->state;
    size_t i = 1, j = 0;
    for (size_t k = n > MT19937_WORDS ? n : MT19937_WORDS; k; k--) {
        s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * UINT32_C(1664525))) + key[j] + (uint32_t)j;
        if (++i == MT19937_WORDS) {
            s[0] = s[MT19937_WORDS - 1];
            i = 1;
        }
        if (++j == n)
            j = 0;
    }
    for (size_t k = MT19937_WORDS - 1; k; k--) {
        s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * UINT32_C(1566083941))) - (uint32_t)i;
        if (++i == MT19937_WORDS) {
            s[0] = s[MT19937_WORDS - 1];
            i = 1;
        }
    }
    s[0] = UINT32_C(0x80000000);
}

static uint32_t twist_word(uint32_t u, uint32_t v)
{
    uint32_t mixed = (u & UINT32_C(0x80000000)) | (v & UINT32_C(0x7fffffff));
    return (mixed >> 1) ^ (-(v & 1) & UINT32_C(0x9908b0df));
}

static void twist(struct mt19937 *m)
{
    uint32_t *s = m->state;
    for (int i = 0; i < MT19937_WORDS - SHIFT; i++)
        s[i] = s[i + SHIFT] ^ twist_word(s[i], s[i + 1]);
    for (int i = MT19937_WORDS - SHIFT; i < MT19937_WORDS - 1; i++)
        s[i] = s[i + SHIFT - MT19937_WORDS] ^ twist_word(s[i], s[i + 1]);
    s[MT19937_WORDS - 1] = s[SHIFT - 1] ^ twist_word(s[MT19937_WORDS - 1], s[0]);
    m->left = MT19937_WORDS;
    m->next = 0;
    m->twists++;
}

uint32_t mt19937_u32(struct mt19937 *m)
{
    if (--m->left == 0)
        twist(m);
    uint32_t y = m->state[m->next++];
    y ^= y >> 11;
    y ^= (y << 7) & UINT32_C(0x9d2c5680);
    y ^= (y << 15) & UINT32_C(0xefc60000);
    return y ^ (y >> 18);
}

double mt19937_uniform(struct mt19937 *m)
{
    uint32_t high = mt19937_u32(m) >> 5, low = mt19937_u32(m) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

uint64_t mt19937_drawn(const struct mt19937 *m)
{
    return m->twists ? (m->twists - 1) * MT19937_WORDS + m->next : 0;
}

void mt19937_skip(struct mt19937 *m, uint64_t words)
{
    while (words--)
        mt19937_u32(m);
}
