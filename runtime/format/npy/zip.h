/* The list of members of a zip archive: where each one's bytes are in the file. */
#ifndef PLB_FORMAT_NPY_ZIP_H
#define PLB_FORMAT_NPY_ZIP_H

#include <stdbool.h>

#include "format/input_file.h"

/* Members of an archive that is read. More: the archive is no matrix, and is refused. SciPy's have 5 or 6. */
#define PLB_ZIP_MOST 64

struct plb_zip_member {
    char name[32]; /* a longer one is cut, and is none that plbrun looks for */
    enum {
        PLB_ZIP_PLAIN,    /* the file has the bytes as they are */
        PLB_ZIP_DEFLATED, /* compressed, as zlib does it */
        PLB_ZIP_OTHER,    /* compressed in another way, or encrypted: it has no place */
    } form;
    int64_t at, packed; /* its place in the file */
    int64_t bytes;      /* that it becomes; as many as a deflated one can be at most */
    uint32_t crc;       /* CRC-32 of these */
};

struct plb_zip {
    int n;
    struct plb_zip_member at[PLB_ZIP_MOST];
};

/* Reads the list at the end of the file, of either size (zip64). Each member with a place lies before it. The
 * sums of the members are not checked, since that would need all of their bytes. PLB_OK; or PLB_EINPUT, a
 * sentence that ends with `remedy`, and zip->n = 0. */
int plb_zip_read(const struct plb_input_file *file, const char *remedy, struct plb_zip *zip,
                 struct plb_error *err);

#endif
