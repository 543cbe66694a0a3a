/* The description of the JSON report's keys, for docs/reference/report-keys.md and `plbrun --report help`. */
#ifndef PLB_REPORT_FIELDS_KEYS_H
#define PLB_REPORT_FIELDS_KEYS_H

#include <stdio.h>

/* Writes a page of Markdown with a table for the run, for a PU and for a phase. */
void plb_report_keys_print(FILE *out);

#endif
