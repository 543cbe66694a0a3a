/* Data on its way from a rank, as the transport counts it. */
#ifndef PLB_TRANSPORT_COMING_H
#define PLB_TRANSPORT_COMING_H

#include <stddef.h>

struct plb_coming {
    size_t bytes;   /* that are being received */
    size_t arrived; /* bytes, since the last look */
};

#endif
