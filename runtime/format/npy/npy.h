/* NumPy's .npy files: dense arrays of float32 and float64 with one or two dimensions, versions 1 to 3; and
 * such of int32 and int64, which are written. */
#ifndef PLB_FORMAT_NPY_NPY_H
#define PLB_FORMAT_NPY_NPY_H

#include <stdio.h>

#include "base/error.h"
#include "plb/kernel.h"

/* Reads an array and lays it out in `order`, whatever the order of the file. Its memory is from plb_alloc, to
 * be freed by the caller. With header_only the data is not read: the sizes are filled in, the length of the
 * file is checked, and array->data is NULL. PLB_OK; or PLB_EINPUT, a sentence, and the array as it was. */
int plb_npy_read(const char *path, enum plb_order order, bool header_only, struct plb_array *array,
                 struct plb_error *err);

/* The bytes of the array's file; below 0 where it is no array that a file can have: then PLB_EFAILED and a
 * sentence that names `path`. */
int64_t plb_npy_size(const char *path, const struct plb_array *array, struct plb_error *err);

/* Writes only the header of an array, whose elements are int32 or int64 where they are whole, filled up to a
 * multiple of `align` bytes: 64 to 4096. Returns its length. Errors are the stream's. */
size_t plb_npy_print_header(const struct plb_array *array, bool whole, size_t align, FILE *out);

/* Writes such an array to a stream. Errors are the stream's. */
void plb_npy_print(const struct plb_array *array, bool whole, FILE *out);

/* Writes the array. The file gets its name when it is complete; if that fails, an older file stays as it was.
 * PLB_OK; or PLB_EFAILED and a sentence. */
int plb_npy_write(const char *path, const struct plb_array *array, struct plb_error *err);

#endif
