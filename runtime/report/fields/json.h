/* The report as JSON, for programs. */
#ifndef PLB_REPORT_FIELDS_JSON_H
#define PLB_REPORT_FIELDS_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "report/report.h"

/* Writes one JSON object, with the keys of report/fields/fields.c in their order, under a temporary name that
 * is then renamed. PLB_OK; or PLB_EFAILED and a sentence, and no file. */
int plb_report_write(const struct plb_report *report, const char *file, struct plb_error *err);

/* Writes the same object on one line, for a page: no '<' is in it, so that it ends no script. False where a
 * number in it is not finite: then nothing is written. */
bool plb_report_embed(const struct plb_report *report, FILE *out);

/* Writes a value of jansson in the same way, and frees it. NULL is written as null. */
struct json_t;
void plb_json_embed(struct json_t *value, FILE *out);

#endif
