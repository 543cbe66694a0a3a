/* The front as JSON. docs/guide/energy.md has its keys. */
#ifndef PLB_REPORT_FRONT_JSON_H
#define PLB_REPORT_FRONT_JSON_H

#include "report/front/front.h"

void plb_front_print_json(const struct plb_front_page *page, FILE *out);

#endif
