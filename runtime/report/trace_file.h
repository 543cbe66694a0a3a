/* The file of a trace. Its name's ending chooses the format: .html is a chart, all others are for
 * Perfetto. */
#ifndef PLB_REPORT_TRACE_FILE_H
#define PLB_REPORT_TRACE_FILE_H

#include "report/report.h"
#include "report/trace.h"

/* Writes the file, which gets its name when it is complete. PLB_OK; or PLB_EFAILED and a sentence, and no
 * file. */
int plb_trace_write(const struct plb_trace *trace, const struct plb_report *report, const char *file,
                    struct plb_error *err);

#endif
