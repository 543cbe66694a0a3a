/* Seconds, bytes and units as people read them. */
#ifndef PLB_REPORT_QUANTITY_H
#define PLB_REPORT_QUANTITY_H

#include <stdint.h>

#define PLB_UNITS_TEXT 80    /* bytes of a number of units, with its end; a longer text is cut */
#define PLB_QUANTITY_TEXT 16 /* bytes of the longest text, with its end */

/* "1.23 s", "45.6 ms", "789 us"; returns `text`. */
char *plb_seconds_print(double seconds, char text[PLB_QUANTITY_TEXT]);

/* "12 B", "3.4 kB", up to TB, with 1000 bytes in a kB; returns `text`. */
char *plb_bytes_print(double bytes, char text[PLB_QUANTITY_TEXT]);

/* "61 uJ", "3 mJ", "12 J", "3.4 kJ", up to TJ; returns `text`. */
char *plb_joules_print(double joules, char text[PLB_QUANTITY_TEXT]);

/* "12 rows", "1 row": `units` is a plural, which loses its ending where n is 1. Returns `text`. */
char *plb_units_print(int64_t n, const char *units, char text[PLB_UNITS_TEXT]);

#endif
