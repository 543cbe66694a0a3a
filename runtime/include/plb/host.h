/* Kernels in another language: what the author of a host of such kernels sees.
 *
 * A host is a shared object that makes a kernel of a file, as an interpreter does. It exports plb_kernel_open
 * and no plb_kernel. The host of NAME.py is python.so, among the installed kernels (kernels/python). */
#ifndef PLB_HOST_H
#define PLB_HOST_H

#include <stddef.h>

#include "plb/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a kernel of a file that can be read. plbrun calls it once in each rank, in the main thread, before
 * everything else. Returns the kernel, in static memory of the host, and with `source`, the path of the file;
 * or NULL, after it has written a sentence to `why`, which has room for `size` bytes. Ranks compare the
 * contents of host and file before they work together. */
const struct plb_kernel *plb_kernel_open(const char *path, char *why, size_t size);

#ifdef __cplusplus
}
#endif

#endif
