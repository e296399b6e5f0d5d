/* Optimal string alignment distance: insertions, deletions, substitutions, swaps of neighbours. */
#include "base/name.h"

#include <string.h>

#define NAME_MAX_BYTES 63

static int min3(int a, int b, int c)
{
    int m = a < b ? a : b;
    return m < c ? m : c;
}

int name_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    if (na > NAME_MAX_BYTES || nb > NAME_MAX_BYTES)
        return NAME_MAX_BYTES + 1;
    int d[NAME_MAX_BYTES + 1][NAME_MAX_BYTES + 1];
    for (size_t i = 0; i <= na; i++)
        d[i][0] = (int)i;
    for (size_t j = 0; j <= nb; j++)
        d[0][j] = (int)j;
    for (size_t i = 1; i <= na; i++)
        for (size_t j = 1; j <= nb; j++) {
            int change = a[i - 1] != b[j - 1];
            d[i][j] = min3(d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change);
            int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && d[i - 2][j - 2] + 1 < d[i][j])
                d[i][j] = d[i - 2][j - 2] + 1;
        }
    return d[na][nb];
}

int name_nearest(const char *given, const char *const *names, size_t n)
{
    int best = -1, best_distance = NAME_MAX_BYTES + 1;
    for (size_t i = 0; i < n; i++) {
        int distance = name_distance(given, names[i]);
        int allowed = ((int)strlen(names[i]) + 2) / 3;
        if (distance <= allowed && distance < best_distance) {
            best = (int)i;
            best_distance = distance;
        }
    }
    return best;
}
