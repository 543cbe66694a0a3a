/* Finding a kernel's shared object by its name. */
#ifndef PLB_JOB_KERNEL_SEARCH_H
#define PLB_JOB_KERNEL_SEARCH_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

#define PLB_KERNEL_PATH_BYTES (PATH_MAX + 80) /* room for a folder and a kernel's name */

/* Whether a kernel or a balancer is named by a path: with a slash, or ending in .so or .py. */
bool plb_is_object_path(const char *name);

/* The host of a kernel in another language (plb/host.h), as a name to be found; NULL: the path is that of a
 * shared object. */
const char *plb_kernel_host(const char *path);

/* Finds NAME.so: the file that a path names; else in the folders of PLB_KERNEL_PATH, then among the installed
 * kernels. PLB_OK with the path of a file that can be read; or PLB_EINPUT and a sentence that begins with
 * `origin`. */
int plb_kernel_find(const char *name, const char *origin, char path[PLB_KERNEL_PATH_BYTES],
                    struct plb_error *err);

/* The name by which other ranks find the same kernel. They may be started without PLB_KERNEL_PATH: so a
 * kernel found there has its whole path, as one that is named by a path. */
void plb_kernel_name_for_ranks(const char *name, char told[PATH_MAX]);

/* Prints name and file of each kernel that a name finds. */
void plb_kernels_list(FILE *out);

#endif
