/* Compares what two ranks run. The version comes first: another plbrun explains every other difference. */
#include "base/kernel_identity.h"

#include <stddef.h>
#include <string.h>

const char *plb_kernel_difference(const struct plb_kernel_identity *a, const struct plb_kernel_identity *b)
{
    if (strncmp(a->version, b->version, sizeof a->version) != 0)
        return "another version of plbrun";
    if (a->abi != b->abi)
        return "another kernel ABI";
    if (a->hash != b->hash)
        return "another build of the kernel";
    for (int i = 0; i < PLB_EXTRA_OBJECTS; i++)
        if (a->extra[i] != 0 && b->extra[i] != 0 && a->extra[i] != b->extra[i])
            return "another build of the kernel's entries for a device";
    return NULL;
}
