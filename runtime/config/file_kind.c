#include "config/file_kind.h"

#include <stddef.h>
#include <string.h>

bool plb_ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), n = strlen(end);
    return length > n && strcmp(name + length - n, end) == 0;
}

bool plb_is_kernel_file(const char *name)
{
    return plb_ends_in(name, ".so") || plb_ends_in(name, ".py");
}

bool plb_is_source(const char *name)
{
    static const char *const ends[] = {".c", ".cc", ".cpp", ".cxx", ".cu"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (plb_ends_in(name, ends[i]))
            return true;
    return false;
}
