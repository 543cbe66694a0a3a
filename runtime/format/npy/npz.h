/* Sparse matrices that SciPy wrote: scipy.sparse.save_npz of one in CSR form, compressed or not. */
#ifndef PLB_FORMAT_NPY_NPZ_H
#define PLB_FORMAT_NPY_NPZ_H

#include <limits.h>
#include <stdbool.h>

#include "format/input_file.h"
#include "format/npy/dict.h"

/* An array of the matrix: a part of the file. */
struct plb_npz_array {
    char name[PATH_MAX + 64];   /* for sentences: "PATH (indices.npy)" */
    struct plb_input_file file; /* the .npy file inside; its path is `name`, its descriptor is borrowed */
    struct plb_npy_dict dict;
    int64_t data_at; /* where its elements begin in the .npy file inside */
    int64_t n;       /* elements */
};

/* Not to be copied. */
struct plb_npz {
    int64_t rows, columns; /* 1 or more; fewer than 2^31 columns */
    struct plb_npz_array offsets, indices, values;
};

/* The form in which the arrays are wanted. */
enum plb_npz_form { PLB_NPZ_INT64, PLB_NPZ_INT32, PLB_NPZ_FLOAT64 };

/* Reads what is before the arrays' elements, and checks it: a CSR matrix of real or whole numbers, whose
 * arrays are all there and fit together. PLB_OK; or PLB_EINPUT and a sentence. plb_npz_close is due in both
 * cases. */
int plb_npz_open(struct plb_npz *npz, const struct plb_input_file *file, struct plb_error *err);
void plb_npz_close(struct plb_npz *npz);

/* The byte of the whole file at which the elements begin, where they are used as they lie: they have this
 * form already, are aligned, and are not compressed. Else -1. */
int64_t plb_npz_offset(const struct plb_npz_array *array, enum plb_npz_form form);

/* Reads an array into array->n elements of this form. A column number that int32_t cannot hold becomes -1. A
 * value that no double is equal to is refused. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_npz_read(const struct plb_npz_array *array, enum plb_npz_form form, void *into,
                 struct plb_error *err);

/* Checks what a product trusts: the offsets, of which the last one is the number of entries; and the columns
 * of so many entries. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_npz_check_offsets(const struct plb_npz *npz, const int64_t *offsets, struct plb_error *err);
int plb_npz_check_indices(const struct plb_npz *npz, const int32_t *indices, int64_t entries,
                          struct plb_error *err);

#endif
