/* The file of a trace. Its name's ending chooses the format: .html is a chart; .json and a name without an
 * ending are for Perfetto. */
#ifndef PLB_REPORT_TRACE_TRACE_FILE_H
#define PLB_REPORT_TRACE_TRACE_FILE_H

#include <stdbool.h>

#include "report/report.h"
#include "report/trace.h"

/* Whether a trace of this name has a format. */
bool plb_trace_has_format(const char *file);

/* Writes the file, which gets its name when it is complete. PLB_OK; or PLB_EFAILED and a sentence, and no
 * file. */
int plb_trace_write(const struct plb_trace *trace, const struct plb_report *report, const char *file,
                    struct plb_error *err);

#endif
