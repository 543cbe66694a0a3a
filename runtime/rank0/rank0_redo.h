/* Passes that are executed again, since a lost rank had what they computed.
 *
 * Results that feed inputs were lost (core/place/owners.h). At some passes rank 0 has all inputs: at the
 * first one, and where the results were fetched that have become each of them last, or the inputs themselves.
 * It copies all of them then, and the replicated buffers.
 * From there on it notes what each pass begins with: its phase, the feeds, and the replicated buffers that
 * `next` has replaced. After a loss these passes are executed again in their order. `next` is not called for
 * them: it has said what it had to say. Their reduced arrays are dropped, but those of a pass that had not
 * ended.
 *
 * Other results that stayed were lost, or arrived damaged. They are computed in one more pass of the last
 * phase, over these units alone. `next` may have changed replicated buffers since. So those of the last pass
 * are kept. Reduced arrays have all units already, and those of this pass are dropped.
 *
 * Cost: a copy of the replicated buffers, and for each pass one of what was replaced; where results feed
 * inputs, a copy of these, too. So from time to time results are fetched, and inputs that rank 0 lacks,
 * though nobody has asked for them. */
#ifndef PLB_RANK0_RANK0_REDO_H
#define PLB_RANK0_RANK0_REDO_H

#include "app/dataset.h"
#include "core/message/message.h"

struct plb_noted_pass;
struct plb_rank;

/* A zeroed struct has noted nothing. */
struct plb_redo {
    void *saved[PLB_MAX_DATA]; /* fed and replicated inputs of the first noted pass; without feeds the
                                  replicated ones of the last pass */
    void *after[PLB_MAX_DATA]; /* replicated ones as `next` has left them, which asked for no more */
    struct plb_noted_pass *passes;
    int n, at;          /* of them; the one that runs */
    int again;          /* passes that began again */
    int kernel_pass;    /* the number of the last one for `next`, from 1 */
    int64_t replaced;   /* buffers that they have replaced */
    double bytes;       /* of these buffers, in all passes */
    double took;        /* seconds of the makespan for passes that are repeated, or broke */
    double since, cost; /* when rank 0 had all; seconds that the last results took that were fetched */
    int64_t old;        /* inputs that rank 0 has as they were in an earlier pass, as a mask */
    int64_t fetched;    /* of these, those that come with the results */
    int64_t changed;    /* buffers that have changed since they were saved, as a mask */
    bool complete;      /* rank 0 has all results of the last pass */
    bool broken;        /* passes are to be executed again */
    bool lost;          /* rank 0 has sent any bytes for inputs that are lost with its GPU: the pass breaks */
    bool over;          /* `next` has asked for no further pass */
    bool results;       /* a pass computes lost results alone */
};

void plb_redo_fini(struct plb_redo *b);

/* A pass begins that none was like before: keeps what it takes to execute it again. */
void plb_redo_note(struct plb_rank *r, const struct plb_pass *begin);

/* Whether all results, and old inputs, should come to rank 0 now, so that a loss costs less. */
bool plb_redo_is_due(const struct plb_rank *r);

/* They have come. */
void plb_redo_complete(struct plb_rank *r);

/* Inputs or results that feed some are lost: the pass, and what is fetched, is given up. */
void plb_redo_break(struct plb_rank *r);

/* Begins the first pass that is to be executed again as soon as nothing of the last one is under way. True
 * where it does. */
bool plb_redo_step(struct plb_rank *r);

/* Whether the pass that runs, or else would begin, was over before. */
bool plb_redo_repeats(const struct plb_redo *b);

/* A pass is over. Whether it was executed again, and another one has begun. */
bool plb_redo_goes_on(struct plb_rank *r);

/* Begins the pass that computes lost results alone; and it is over. */
void plb_redo_results(struct plb_rank *r);
void plb_redo_end_results(struct plb_rank *r);

#endif
