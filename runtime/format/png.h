/* PNG files, written with libpng. */
#ifndef PLB_FORMAT_PNG_H
#define PLB_FORMAT_PNG_H

#include <stdio.h>

#include "base/error.h"
#include "plb/kernel.h"

/* Bytes that the file of an image has at most, however badly it can be compressed; below 0 where it is no
 * image that a file can have: then PLB_EFAILED and a sentence that names `path`. */
int64_t plb_png_most(const char *path, const struct plb_image *image, struct plb_error *err);

/* Writes an image to a stream. PLB_OK; or PLB_EFAILED and a sentence where libpng fails. Errors of writing
 * are the stream's too. */
int plb_png_print(const char *path, const struct plb_image *image, FILE *out, struct plb_error *err);

#endif
