/* Writes .npy files: a version 1.0 header, then the array as it is in memory. An array of one column has one
 * dimension, (n,), as np.loadtxt has it. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "format/npy/header.h"
#include "format/npy/npy.h"

#define DICT_AT 10 /* after magic, version and a length of 2 bytes */
#define ALIGN 64   /* the data begins at a multiple of it, as in NumPy's files, so it can be mapped */
#define MOST_HEADER 4096

/* Fills in the header, padded with blanks, and returns its length. */
static size_t format_header(char into[MOST_HEADER], size_t align, const struct plb_array *array, bool whole)
{
    static const char start[8] = PLB_NPY_MAGIC "\x01"; /* version 1.0 */
    char columns[24] = "";
    if (array->columns != 1)
        snprintf(columns, sizeof columns, " %" PRId64, array->columns);
    int text = snprintf(into + DICT_AT, MOST_HEADER - DICT_AT,
                        "{'descr': '<%c%zu', 'fortran_order': %s, 'shape': (%" PRId64 ",%s), }",
                        whole ? 'i' : 'f', array->element_bytes, array->column_major ? "True" : "False",
                        array->rows, columns);
    size_t used = DICT_AT + (size_t)text;
    size_t total = (used + align) / align * align;
    memset(into + used, ' ', total - used);
    into[total - 1] = '\n';
    memcpy(into, start, sizeof start);
    into[8] = (char)((total - DICT_AT) & 0xff);
    into[9] = (char)((total - DICT_AT) >> 8);
    return total;
}

int64_t plb_npy_size(const char *path, const struct plb_array *array, struct plb_error *err)
{
    int64_t elements, bytes;
    char header[MOST_HEADER];
    if ((array->element_bytes == 4 || array->element_bytes == 8) && array->rows >= 1 && array->columns >= 1
        && array->data != NULL && !__builtin_mul_overflow(array->rows, array->columns, &elements)
        && !__builtin_mul_overflow(elements, (int64_t)array->element_bytes, &bytes)
        && bytes <= INT64_MAX - MOST_HEADER)
        return bytes + (int64_t)format_header(header, ALIGN, array, false);
    plb_fail(err, PLB_EFAILED,
             "%s: cannot be written: %" PRId64 " rows by %" PRId64 " columns "
             "of %zu bytes%s, but at least one row and column of 4 or 8 bytes, with data, was "
             "expected; this is a mistake in the kernel",
             path, array->rows, array->columns, array->element_bytes,
             array->data == NULL ? " without data" : "");
    return -1;
}

size_t plb_npy_print_header(const struct plb_array *array, bool whole, size_t align, FILE *out)
{
    char header[MOST_HEADER];
    return fwrite(header, 1, format_header(header, align, array, whole), out);
}

void plb_npy_print(const struct plb_array *array, bool whole, FILE *out)
{
    plb_npy_print_header(array, whole, ALIGN, out);
    fwrite(array->data, array->element_bytes, (size_t)(array->rows * array->columns), out);
}

int plb_npy_write(const char *path, const struct plb_array *array, struct plb_error *err)
{
    struct plb_file file;
    if (plb_npy_size(path, array, err) < 0 || plb_file_create(&file, path, err) != PLB_OK)
        return err->status;
    plb_npy_print(array, false, file.stream);
    return plb_file_commit(&file, err);
}
