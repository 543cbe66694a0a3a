/* Units of work in sentences: their plural, and ranges of them. Pure functions; thread-safe. */
#ifndef PLB_BASE_UNITS_H
#define PLB_BASE_UNITS_H

#include <stdint.h>

#define PLB_RANGE_TEXT 110 /* bytes of a range of units, with its end; a longer text is cut */

/* One of them: "rows" gives 3, and "" in *ending: the bytes that stay, and the letters behind them. "entries"
 * gives 4 and "y". A plural of another kind, such as vertices, stays. A handler of a signal may call it. */
int plb_units_singular(const char *units, const char **ending);

/* "rows 5 to 7", or "row 5" where count is 1; returns `text`. */
char *plb_range_print(int64_t first, int64_t count, const char *units, char text[PLB_RANGE_TEXT]);

#endif
