/* The identity that all ranks of a run must share: plbrun itself and the kernel that each rank has loaded.
 * Plain data, so that a message can carry it. job/kernel_file.h fills it in. */
#ifndef PLB_BASE_KERNEL_IDENTITY_H
#define PLB_BASE_KERNEL_IDENTITY_H

#include <stdint.h>

/* A kernel may have at most this many extra shared objects, one per device driver that asks for one. */
#define PLB_EXTRA_OBJECTS 4

struct plb_kernel_identity {
    uint32_t abi;                      /* PLB_KERNEL_ABI */
    char version[16];                  /* of plbrun */
    uint64_t hash;                     /* of the contents of NAME.so, and of its source */
    uint64_t extra[PLB_EXTRA_OBJECTS]; /* of the extra objects, by their drivers' order; 0: not loaded here */
};

/* NULL where two ranks may work together, else what differs, to follow "has": "another build of the kernel".
 * Static storage. An extra object is compared only where both ranks have loaded it: a rank without it runs
 * none of its entries. Thread-safe. */
const char *plb_kernel_difference(const struct plb_kernel_identity *a, const struct plb_kernel_identity *b);

#endif
