/* The report as JSON, for programs. */
#ifndef PLB_REPORT_JSON_H
#define PLB_REPORT_JSON_H

#include "report/report.h"

/* Writes one JSON object, with the keys of report/fields.c in their order, under a temporary name that is
 * then renamed. PLB_OK; or PLB_EFAILED and a sentence, and no file. */
int plb_report_write(const struct plb_report *report, const char *file, struct plb_error *err);

#endif
