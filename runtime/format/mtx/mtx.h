/* Matrix Market files (NIST, 1996) into compressed sparse rows. */
#ifndef PLB_FORMAT_MTX_MTX_H
#define PLB_FORMAT_MTX_MTX_H

#include "base/error.h"
#include "plb/kernel.h"

/* Reads real, integer and pattern matrices that are general, symmetric or skew-symmetric. The latter two get
 * both triangles. Of a dense file ('array') the values that are not zero are kept. nonfinite: values may be
 * nan and infinite. Values in a pattern file are ignored, with a warning. Duplicates are summed; the columns
 * of a row ascend. The arrays are from plb_alloc, to be freed by the caller. PLB_OK; or PLB_EINPUT, a
 * sentence with file and line, and the matrix as it was. */
int plb_mtx_read(const char *path, bool nonfinite, struct plb_csr *matrix, struct plb_error *err);

#endif
