/* NumPy's .npy files: dense arrays of float32 and float64, one or two dimensions, versions 1 to 3. */
#ifndef PLB_FORMAT_NPY_H
#define PLB_FORMAT_NPY_H

#include "base/error.h"
#include "plb/kernel.h"

/* Reads the file into memory from plb_alloc that the caller frees, laid out in `order` whatever the
 * file's own order is. With header_only the sizes are filled in, the file's length is still
 * checked, and array->data is NULL. The array is written on success only. PLB_EINPUT otherwise. */
int plb_npy_read(const char *path, enum plb_order order, bool header_only, struct plb_array *array,
                 struct plb_error *err);

/* Writes the array under a temporary name beside `path`, syncs it and renames it; on failure the
 * temporary file is removed and an older file at `path` stays as it was. PLB_EFAILED then. */
int plb_npy_write(const char *path, const struct plb_array *array, struct plb_error *err);

#endif
