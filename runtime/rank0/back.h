/* Passes that are made again, since inputs that results feed were lost with a rank (core/place/places.h).
 *
 * At some passes rank 0 has all inputs: at the first one, and where the results before it were gathered. It
 * copies them then, and the replicated buffers. From there on it notes what each pass begins with: its phase,
 * the feeds, and the replicated buffers that `next` has replaced. After a loss these passes are made again in
 * their order. `next` is not called for them: it has said what it had to say. Their reduced arrays are
 * dropped, but those of a pass that had not ended.
 *
 * Cost: a copy of the inputs and of the replicated buffers, and for each pass one of what was replaced. So
 * results are gathered from time to time, though nobody has asked for them. The functions are in
 * rank0/rank0.h. */
#ifndef PLB_RANK0_BACK_H
#define PLB_RANK0_BACK_H

#include "app/dataset.h"
#include "core/message/message.h"

struct plb_noted_pass;

/* A zeroed struct has noted nothing. */
struct plb_back {
    void *saved[PLB_MAX_DATA]; /* fed and replicated inputs of the first noted pass */
    void *after[PLB_MAX_DATA]; /* replicated ones as `next` has left them, which asked for no more */
    struct plb_noted_pass *passes;
    int n, at;          /* of them; the one that runs */
    int again;          /* passes that began again */
    int kernel_pass;    /* the number of the last one for `next`, from 1 */
    int64_t replaced;   /* buffers that they have replaced */
    double bytes;       /* of these buffers, in all passes */
    double since, cost; /* when rank 0 had all; seconds that it took to gather them */
    bool complete;      /* rank 0 has all results of the last pass */
    bool broken;        /* passes are to be made again */
    bool over;          /* `next` has asked for no further pass */
};

#endif
