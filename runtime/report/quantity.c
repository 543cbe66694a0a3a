/* The largest unit that leaves a number of 1 or more. */
#include "report/quantity.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

char *plb_seconds_print(double seconds, char text[PLB_QUANTITY_TEXT])
{
    if (seconds >= 1.0)
        snprintf(text, PLB_QUANTITY_TEXT, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, PLB_QUANTITY_TEXT, "%.1f ms", seconds * 1e3);
    else
        snprintf(text, PLB_QUANTITY_TEXT, "%.0f us", seconds * 1e6);
    return text;
}

char *plb_bytes_print(double bytes, char text[PLB_QUANTITY_TEXT])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int u = 0;
    for (; bytes >= 1000.0 && u < 4; u++)
        bytes /= 1000.0;
    snprintf(text, PLB_QUANTITY_TEXT, u == 0 ? "%.0f %s" : "%.1f %s", bytes, units[u]);
    return text;
}

char *plb_joules_print(double joules, char text[PLB_QUANTITY_TEXT])
{
    static const char *const units[] = {"J", "kJ", "MJ", "GJ", "TJ"};
    int u = 0;
    if (joules > 0.0 && joules < 0.01) {
        bool micro = joules < 1e-3;
        snprintf(text, PLB_QUANTITY_TEXT, "%.3g %s", joules * (micro ? 1e6 : 1e3), micro ? "uJ" : "mJ");
        return text;
    }
    for (; joules >= 999.5 && u < 4; u++)
        joules /= 1000.0;
    snprintf(text, PLB_QUANTITY_TEXT, "%.3g %s", joules, units[u]);
    return text;
}

char *plb_units_print(int64_t n, const char *units, char text[PLB_UNITS_TEXT])
{
    const char *ending = "";
    int length = n == 1 ? plb_units_singular(units, &ending) : (int)strlen(units);
    snprintf(text, PLB_UNITS_TEXT, "%" PRId64 " %.*s%s", n, length, units, ending);
    return text;
}
