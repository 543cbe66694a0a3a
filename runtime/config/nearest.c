/* Levenshtein distance, one row of its table at a time. */
#include "config/nearest.h"

#include <string.h>

#define LONGEST 63 /* letters of a name that is compared; nothing is near a longer one */

static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1];
    size_t n = strlen(b);
    if (n > LONGEST)
        return n;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = diagonal + (a[i] != b[j]);
            if (row[j] + 1 < best)
                best = row[j] + 1;
            diagonal = row[j + 1];
            if (diagonal + 1 < best)
                best = diagonal + 1;
            row[j + 1] = best;
        }
    }
    return row[n];
}

const char *plb_nearest(const char *wrong, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = strlen(wrong) / 2 + 1;
    for (; *names != NULL; names++) {
        size_t d = distance(wrong, *names);
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}
