/* The list of members of a zip archive: where each one's bytes are in the file. */
#ifndef PLB_FORMAT_ZIP_H
#define PLB_FORMAT_ZIP_H

#include <stdbool.h>

#include "format/input_file.h"

/* Members of an archive that is read. More: the archive is no matrix, and is refused. SciPy's have 5 or 6. */
#define PLB_ZIP_MOST 64

struct plb_zip_member {
    char name[32];     /* a longer one is cut, and is none that plbrun looks for */
    bool plain;        /* neither compressed nor encrypted: the file has the bytes as they are */
    int64_t at, bytes; /* of a plain one: its place in the file */
};

struct plb_zip {
    int n;
    struct plb_zip_member at[PLB_ZIP_MOST];
};

/* Reads the list at the end of the file, of either size (zip64). Each plain member lies before it. The sums
 * of the members are not checked, since that would need all of their bytes. PLB_OK; or PLB_EINPUT, a sentence
 * that ends with `remedy`, and zip->n = 0. */
int plb_zip_read(const struct plb_input_file *file, const char *remedy, struct plb_zip *zip,
                 struct plb_error *err);

#endif
