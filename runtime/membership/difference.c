/* Two HELLOs compared. */
#include "membership/difference.h"

#include <stdio.h>

#include "base/kernel_identity.h"

void plb_difference_describe(const struct plb_hello *hello, const struct plb_hello *own, const char *host,
                             char text[PLB_DIFFERENCE_TEXT])
{
    const char *what = plb_kernel_difference(&hello->build, &own->build);
    if (what != NULL)
        snprintf(text, PLB_DIFFERENCE_TEXT,
                 "rank %d on %s has %s than rank 0 on %s (plbrun %s with %s there, plbrun %s with %s here); "
                 "install the same on both",
                 hello->pu.node, hello->pu.host, what, host, hello->build.version, hello->kernel_file,
                 own->build.version, own->kernel_file);
}
