/* Seconds and bytes as people read them. */
#ifndef PLB_REPORT_QUANTITY_H
#define PLB_REPORT_QUANTITY_H

#define PLB_QUANTITY_TEXT 16 /* bytes of the longest text, with its end */

/* "1.23 s", "45.6 ms", "789 us"; returns `text`. */
char *plb_seconds_print(double seconds, char text[PLB_QUANTITY_TEXT]);

/* "12 B", "3.4 kB", up to TB, with 1000 bytes in a kB; returns `text`. */
char *plb_bytes_print(double bytes, char text[PLB_QUANTITY_TEXT]);

#endif
