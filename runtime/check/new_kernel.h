/* --new-kernel: a kernel to begin with. */
#ifndef PLB_CHECK_NEW_KERNEL_H
#define PLB_CHECK_NEW_KERNEL_H

#include <stdio.h>

#include "base/error.h"

/* Its files, which end with a zero. The Makefile makes them of new_kernel.d. */
extern const unsigned char plb_new_kernel_kernel[], plb_new_kernel_makefile[], plb_new_kernel_conf[];

/* Writes NAME.c, Makefile and app.conf to a new folder NAME of the working folder, and says on `out` what to
 * do with them. PLB_OK; PLB_EINPUT and a sentence where the name is none, or is taken; PLB_EFAILED where
 * files cannot be written. */
int plb_new_kernel(const char *name, FILE *out, struct plb_error *err);

#endif
