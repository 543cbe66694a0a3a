/* Kernels as shared objects: loading them, and telling one build from another. Main thread only. */
#ifndef PLB_JOB_KERNEL_FILE_H
#define PLB_JOB_KERNEL_FILE_H

#include "base/error.h"
#include "base/kernel_identity.h"
#include "device/driver.h"
#include "plb/kernel.h"

/* Loads a kernel. A name is looked for among the installed kernels; a path (with a slash, or ending in .so or
 * .py) is opened as it is. A file of another language is given to its host (plb/host.h). `pus` says which
 * devices the job may use; NULL: none of this machine's. Where a driver of such a device has an extra object
 * NAME.x.so beside NAME.so, that is loaded first; a warning says so where it cannot be loaded. Shared objects
 * stay loaded until the process ends. PLB_EINPUT and a sentence that begins with `origin` where there is no
 * such kernel, or one of another ABI. */
int plb_kernel_load(const char *name, const char *origin, const struct plb_pu_settings *pus,
                    const struct plb_kernel **kernel, struct plb_error *err);

/* Says what a loaded kernel is: its ABI, this plbrun's version, and the hashes of its shared objects and its
 * source. Reads these files. PLB_EFAILED and a sentence where a file cannot be read any more. */
int plb_kernel_identity(const struct plb_kernel *kernel, struct plb_kernel_identity *identity,
                        struct plb_error *err);

/* Whether a loaded kernel has an extra object for a driver's devices, which may not be loaded. */
bool plb_kernel_has_object(const struct plb_kernel *kernel, const struct plb_device_driver *driver);

/* The path of a loaded kernel's source or shared object, or "?" where nobody knows it. Where it does not fit,
 * its end. */
void plb_kernel_path(const struct plb_kernel *kernel, char *path, size_t size);

#endif
