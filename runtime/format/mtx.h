/* Matrix Market coordinate files (NIST, 1996) into compressed sparse rows. */
#ifndef PLB_FORMAT_MTX_H
#define PLB_FORMAT_MTX_H

#include "base/error.h"
#include "plb/kernel.h"

/* Reads real, integer and pattern matrices, general, symmetric and skew-symmetric; the latter two
 * are expanded to both triangles. Duplicates are summed; columns ascend in each row. The arrays are
 * from plb_alloc and the caller's to free(). The matrix is written on success only; PLB_EINPUT and
 * a sentence with file and line otherwise. */
int plb_mtx_read(const char *path, struct plb_csr *matrix, struct plb_error *err);

#endif
