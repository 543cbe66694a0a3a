/* Messages about the bytes of units. Rank 0 alone knows which rank has which of them (core/place/):
 *
 *   FETCH   node → rank 0  inputs that a task of the node lacks
 *           rank 0 → node  inputs that the node has, for another rank; results that stayed, for rank 0
 *   FROM    rank 0 → node  which ranks send the inputs, and their checksum
 *           node → rank 0  whether the node has the results: then it sends them
 *   COUNTED master → node  results of a PU of the node that counted, and are inputs of this pass
 *
 * The bytes follow as data under the slot that FETCH names. FROM and FETCH under PLB_HALO_SLOT are about
 * inputs that nobody has asked for (core/place/halos.h). */
#ifndef PLB_CORE_MESSAGE_DATA_MESSAGE_H
#define PLB_CORE_MESSAGE_DATA_MESSAGE_H

#include <stdint.h>

#include "base/rangeset.h"

#define PLB_FETCH_SLOT 31990  /* the first slot of what comes to rank 0; below are those of tasks */
#define PLB_HALO_SLOT 31997   /* of what comes before a task: inputs of rank 0's PUs, and halos */
#define PLB_COUNTED_RANGES 24 /* in one COUNTED at most; more would make it the largest message */
#define PLB_SOURCES 12        /* in one FROM at most; the same */

#define PLB_BUFFER(i) ((int64_t)1 << (i)) /* buffer i in a mask of buffers */

struct plb_fetch {
    struct plb_range range;
    int64_t slot;    /* tag of the data, at the rank that gets it */
    int64_t buffers; /* mask of those that are wanted: bit i is buffer i */
    int32_t to;      /* the rank that gets it */
    int16_t halo;    /* 1: and of each buffer the units around the range that a task of it reads */
    int16_t again;   /* 1: the data had arrived before, and was damaged */
};

struct plb_source {
    struct plb_range range;
    int64_t buffers; /* mask */
    int32_t node;    /* that sends them, buffer by buffer */
};

struct plb_sources {
    int64_t slot; /* of the FETCH */
    uint32_t sum; /* CRC32C of all that was asked for, buffer by buffer, where checksums are wanted */
    int32_t last; /* 1: no other FROM answers this FETCH */
    int32_t n;    /* 0, from a node: it does not have the results; about fed inputs: their pass is over */
    struct plb_source at[PLB_SOURCES]; /* in the order in which a node sends them */
};

struct plb_counted {
    struct plb_range at[PLB_COUNTED_RANGES]; /* in order, and apart */
    int32_t n;
};

#endif
