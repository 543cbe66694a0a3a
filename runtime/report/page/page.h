/* The report as a page for any browser, without a network: sentences, tables and charts. Tables and sentences
 * are HTML, so that it can be read and printed without scripts. Charts are drawn by runtime/report/page from
 * the report as JSON and from the trace, which are both in the page. */
#ifndef PLB_REPORT_PAGE_PAGE_H
#define PLB_REPORT_PAGE_PAGE_H

#include <stdbool.h>

#include "report/report.h"
#include "report/trace.h"

/* Whether a report of this name is a page: it ends in .html or .htm. */
bool plb_page_named(const char *file);

/* Whether --report can name this file: a page; or JSON, which ends in .json or has no ending, as "-" and a
 * pipe. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_page_check_name(const char *file, struct plb_error *err);

/* Writes the page, which gets its name when it is complete. PLB_OK; or PLB_EFAILED and a sentence, and no
 * file. trace: on, or there is no chart over time. */
int plb_page_write(const struct plb_report *report, const struct plb_trace *trace, const char *file,
                   struct plb_error *err);

/* Scripts and styles, from the files of runtime/report/page; each ends with a zero byte. */
extern const unsigned char plb_page_script[], plb_page_style[];

#endif
