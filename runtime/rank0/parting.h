/* The last words of a rank, as rank 0 keeps them. */
#ifndef PLB_RANK0_PARTING_H
#define PLB_RANK0_PARTING_H

#include "core/message/message.h"
#include "report/trace.h"

struct plb_parting {
    bool said; /* BYE; or the rank is lost */
    bool lost;
    struct plb_bye bye;
    struct plb_trace_event *trace; /* of bye.trace_bytes; NULL for rank 0's own */
    int pending;                   /* transfers of it */
};

#endif
