/* Whether the file of a shared object is whole. Thread-safe. */
#ifndef PLB_JOB_OBJECT_FILE_H
#define PLB_JOB_OBJECT_FILE_H

#include <stdbool.h>

/* Whether a file ends before what its ELF header promises, as after a copy that broke off. dlopen maps such a
 * file, and the process dies of SIGBUS. false also where the file is no ELF of this machine's word size, or
 * cannot be read: then dlopen says what is wrong. */
bool plb_object_is_truncated(const char *path);

#endif
