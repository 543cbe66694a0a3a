/* Distance of Damerau and Levenshtein (optimal string alignment), three rows of its table at a time. */
#include "config/nearest.h"

#include <stdbool.h>
#include <string.h>

#define LONGEST 63 /* letters of a name that is compared; nothing is near a longer one */

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to insert, to leave out, or to exchange, also with the next one. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    size_t n = strlen(b);
    if (n > LONGEST)
        return n;
    for (size_t j = 0; j <= n; j++)
        last[j] = j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        row[0] = i + 1;
        for (size_t j = 0; j < n; j++) {
            size_t best = least(last[j] + (a[i] != b[j]), least(row[j], last[j + 1]) + 1);
            bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
            row[j + 1] = swapped ? least(best, before[j - 1] + 1) : best;
        }
        size_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[n];
}

const char *plb_nearest(const char *wrong, const char *const *names)
{
    const char *best = NULL;
    size_t third = strlen(wrong) / 3, best_distance = (third > 1 ? third : 1) + 1;
    for (; *names != NULL; names++) {
        size_t d = distance(wrong, *names);
        if (d < best_distance) {
            best_distance = d;
            best = *names;
        }
    }
    return best;
}
