/* The header of an .npy file: all that comes before its data. */
#ifndef PLB_FORMAT_NPY_HEADER_H
#define PLB_FORMAT_NPY_HEADER_H

#include <stdbool.h>

#include "format/input_file.h"
#include "format/npy/dict.h"
#include "format/npy/type.h"

#define PLB_NPY_MAGIC "\x93NUMPY" /* the first bytes of such a file */

struct plb_npy_header {
    int64_t rows, columns;
    const struct plb_npy_type *type; /* of the elements */
    bool column_major;
    int64_t data_at, data_bytes; /* in the file, to its end */
    int64_t bytes;               /* of the data when it is read */
};

/* Reads the header, and checks it against the length of the file. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_npy_read_header(const struct plb_input_file *file, struct plb_npy_header *header,
                        struct plb_error *err);

/* Reads only the dict of the header. The data begins at byte *data_at. PLB_OK; or PLB_EINPUT and a
 * sentence. */
int plb_npy_read_dict(const struct plb_input_file *file, struct plb_npy_dict *dict, int64_t *data_at,
                      struct plb_error *err);

#endif
