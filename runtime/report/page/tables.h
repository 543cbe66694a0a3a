/* Tables of a page, and what its words mean. */
#ifndef PLB_REPORT_PAGE_TABLES_H
#define PLB_REPORT_PAGE_TABLES_H

#include <stdio.h>

#include "report/report.h"

#define PLB_PAGE_NUMBER " class=\"n\"" /* attributes of a cell with a number */

/* A cell with a text, which is escaped; a time; a part as percent. */
void plb_page_cell(const char *text, const char *attributes, FILE *out);
void plb_page_seconds(double seconds, FILE *out);
void plb_page_percent(double part, FILE *out);

/* A heading of a row: `sign` and a word, whose meaning is shown where one points at it. */
void plb_page_heading(const char *sign, const char *word, FILE *out);

/* Passes by phase, where there are several; and PUs. */
void plb_page_phases(const struct plb_report *report, FILE *out);
void plb_page_pus(const struct plb_report *report, FILE *out);

/* All words and their meanings. */
void plb_page_glossary(FILE *out);

#endif
