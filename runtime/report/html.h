/* Text in HTML. */
#ifndef PLB_REPORT_HTML_H
#define PLB_REPORT_HTML_H

#include <stdio.h>

/* Text between tags or quotes: what HTML would take for a tag is escaped, a control character is a blank, and
 * a byte that is not UTF-8 a '?'. */
void plb_html_text(const char *text, FILE *out);

struct plb_report;

/* Such text, as a function writes it about a report. */
void plb_html_said(void (*say)(const struct plb_report *, FILE *), const struct plb_report *report,
                   FILE *out);

#endif
