/* Which kind of file a name stands for, by its ending. Thread-safe. */
#ifndef PLB_CONFIG_FILE_KIND_H
#define PLB_CONFIG_FILE_KIND_H

#include <stdbool.h>

/* Whether something stands before this ending. */
bool plb_ends_in(const char *name, const char *end);

/* A kernel that plbrun can load: .so or .py. */
bool plb_is_kernel_file(const char *name);

/* A kernel that must be compiled first: C, C++ or CUDA. */
bool plb_is_source(const char *name);

#endif
