/* PNG files, written and read with libpng. */
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

/* Reads an image as plb/image.h says. Its memory is from plb_alloc, to be freed by the caller. With
 * header_only the pixels are not read, and image->data is NULL. PLB_OK; or PLB_EINPUT, a sentence, and the
 * image as it was. */
int plb_png_read(const char *path, bool header_only, struct plb_image *image, struct plb_error *err);

#endif
