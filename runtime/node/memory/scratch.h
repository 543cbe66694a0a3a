/* Which tasks of rank 0 do not write their outputs in place. A pure function. */
#ifndef PLB_NODE_MEMORY_SCRATCH_H
#define PLB_NODE_MEMORY_SCRATCH_H

#include "app/dataset.h"
#include "core/worker/queue.h"

/* The latest task of a PU; zeroed: there was none. */
struct plb_latest {
    int64_t units;
    double seconds;
};

/* Whether the outputs of a task go to memory of its own first: where other PUs of the run may execute its
 * units too (`doubled`), where they are only compared, or where the copy costs next to nothing, by the latest
 * task of its PU. */
bool plb_scratch_wanted(const struct plb_dataset *set, const struct plb_slice *task,
                        const struct plb_latest *latest, bool doubled);

#endif
