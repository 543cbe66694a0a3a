/* The front of time and energy in a file: JSON for programs, or a picture. */
#ifndef PLB_REPORT_FRONT_FILE_H
#define PLB_REPORT_FRONT_FILE_H

#include "base/error.h"
#include "report/front/front.h"

/* Whether the name of a file says in which format it is to be written: .json or .svg. */
bool plb_front_has_format(const char *file);

/* PLB_OK, or PLB_EFAILED and a sentence. */
int plb_front_write(const struct plb_front_page *page, const char *file, struct plb_error *err);

#endif
