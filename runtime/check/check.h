/* --check: whether a kernel keeps what it declares. */
#ifndef PLB_CHECK_CHECK_H
#define PLB_CHECK_CHECK_H

#include <stdio.h>

#include "base/error.h"
#include "config/arguments.h"

/* Reads a job, tries its kernel's cpu entries, and says on stderr what was found, and on `out` what was
 * tried. Nothing is written to files. Returns PLB_OK: nothing was found; PLB_EFAILED: something was, or there
 * is a sentence, as of another status. The main thread, which must not have used OpenMP, nor MPI. */
int plb_check(const struct plb_arguments *arguments, FILE *out, struct plb_error *err);

#endif
