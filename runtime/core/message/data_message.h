/* Bodies of messages about the bytes of units: inputs that a node lacks, results that stayed at it. */
#ifndef PLB_CORE_MESSAGE_DATA_MESSAGE_H
#define PLB_CORE_MESSAGE_DATA_MESSAGE_H

#include <stdint.h>

#include "base/rangeset.h"

#define PLB_COUNTED_RANGES 24 /* in one COUNTED at most; more would make it the largest message */
#define PLB_WHERE_PARTS 16    /* in one WHERE at most; the same */

struct plb_pull {
    struct plb_range range;
    int64_t slot;    /* tag of the data */
    int64_t again;   /* not 0: the data had arrived before, and was damaged */
    int64_t buffers; /* mask of those that are wanted: bit i is buffer i */
    int64_t halo;    /* not 0: and of each one the units around the range that a task of it reads */
};

struct plb_sum {
    struct plb_range range; /* that was pulled */
    int64_t slot;
    int64_t sum; /* CRC32C of its inputs, buffer by buffer */
};

struct plb_gather {
    struct plb_range range;
    int64_t buffers; /* mask of the outputs that are wanted */
};

struct plb_kept_results {
    struct plb_range range; /* that was asked for */
    int64_t slot;           /* tag of the data */
    int32_t here;           /* 0: the node does not have all of it, and nothing follows */
    uint32_t sum;           /* CRC32C of the results, buffer by buffer, where checksums are wanted */
    int64_t buffers;        /* mask of those that follow */
};

struct plb_lend {
    struct plb_range range;
    int64_t slot;    /* tag of the data, at the node that gets it */
    int64_t buffers; /* mask of the inputs that are wanted */
    int32_t to;      /* that node */
};

/* Units of one buffer. */
struct plb_where_part {
    struct plb_range range;
    int32_t node, buffer;
};

struct plb_where {
    int64_t slot;                              /* of the PULL */
    int32_t n, last;                           /* last: 1: no WHERE about this PULL follows */
    struct plb_where_part at[PLB_WHERE_PARTS]; /* in the order in which a node sends them */
};

struct plb_counted {
    struct plb_range at[PLB_COUNTED_RANGES]; /* in order, and apart */
    int32_t n;
};

#endif
