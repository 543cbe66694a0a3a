/* Finding and loading kernels. */
#ifndef PLB_JOB_KERNEL_FILE_H
#define PLB_JOB_KERNEL_FILE_H

#include "base/error.h"
#include "base/kernel_identity.h"
#include "plb/kernel.h"

/* Loads a kernel: a name is looked for among the installed kernels, a path (with a slash or ending
 * in .so) is opened as it is; with `cuda` after the NAME.cuda.so beside it, if there is one (a warning
 * where that cannot be loaded). Shared objects stay loaded for the life of the process.
 * PLB_EINPUT and a sentence prefixed with `origin` where there is none, or of another ABI. */
int plb_kernel_load(const char *name, const char *origin, bool cuda, const struct plb_kernel **kernel,
                    struct plb_error *err);

/* Says what a loaded kernel is: its ABI, this plbrun's version, and the hashes of its shared objects. Reads these
 * files. PLB_EFAILED and a sentence where a file cannot be read any more. */
int plb_kernel_identity(const struct plb_kernel *kernel, struct plb_kernel_identity *identity, struct plb_error *err);

#endif
