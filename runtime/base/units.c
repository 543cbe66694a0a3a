/* English plurals: entries, boxes, classes, rows. */
#include "base/units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool ends_in(const char *word, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length > n && strncmp(word + length - n, ending, n) == 0;
}

int plb_units_singular(const char *units, const char **ending)
{
    int length = (int)strlen(units);
    size_t n = (size_t)length;
    *ending = "";
    if (ends_in(units, n, "ies")) {
        *ending = "y";
        return length - 3;
    }
    if (ends_in(units, n, "xes") || ends_in(units, n, "sses") || ends_in(units, n, "ches")
        || ends_in(units, n, "shes"))
        return length - 2;
    if (ends_in(units, n, "ices") || ends_in(units, n, "ss") || !ends_in(units, n, "s"))
        return length;
    return length - 1;
}

char *plb_range_print(int64_t first, int64_t count, const char *units, char text[PLB_RANGE_TEXT])
{
    const char *ending;
    int length = plb_units_singular(units, &ending);
    if (count == 1)
        snprintf(text, PLB_RANGE_TEXT, "%.*s%s %" PRId64, length, units, ending, first);
    else
        snprintf(text, PLB_RANGE_TEXT, "%s %" PRId64 " to %" PRId64, units, first, first + count - 1);
    return text;
}
