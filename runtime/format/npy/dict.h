/* The Python dict in the header of an .npy file: {'descr': '<f8', 'fortran_order': False, 'shape': (2, 3),
 * } */
#ifndef PLB_FORMAT_NPY_DICT_H
#define PLB_FORMAT_NPY_DICT_H

#include <stdbool.h>
#include <stdint.h>

#define PLB_NPY_RECORDS "[...]" /* as descr: a list, which describes a structured dtype */

struct plb_npy_dict {
    char descr[32]; /* the data type; a longer one is cut, and is none that plbrun reads */
    bool fortran_order;
    int64_t dimensions;
    int64_t shape[2]; /* the first two dimensions; one that int64_t cannot hold is INT64_MAX */
};

/* Reads the text from *at to `end`, which need not end with a NUL. Returns NULL; or what was expected at *at.
 * The rest of a dict whose descr is a list is not read. */
const char *plb_npy_scan_dict(const char **at, const char *end, struct plb_npy_dict *dict);

#endif
