/* The last words of a rank, as rank 0 keeps them. */
#ifndef PLB_RANK0_PARTING_H
#define PLB_RANK0_PARTING_H

#include "core/message/message.h"
#include "report/trace.h"

struct plb_parting {
    enum { PLB_BYE_AWAITED, PLB_BYE_SAID, PLB_BYE_NEVER } state; /* NEVER: the rank is lost, or not there */
    struct plb_bye bye;
    struct plb_trace_event *trace; /* of bye.trace_bytes; NULL for rank 0's own */
    int pending;                   /* transfers of it */
};

#endif
