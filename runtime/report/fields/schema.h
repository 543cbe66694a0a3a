/* The JSON Schema of reports, for docs/reference/report.schema.json and `plbrun --report schema`. */
#ifndef PLB_REPORT_FIELDS_SCHEMA_H
#define PLB_REPORT_FIELDS_SCHEMA_H

#include <stdio.h>

/* Writes the schema (draft 2020-12). Every key of report/fields/fields.c is in it, with its type and its
 * meaning. */
void plb_report_schema_print(FILE *out);

#endif
