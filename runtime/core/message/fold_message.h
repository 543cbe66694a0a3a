/* Messages about reduced arrays that stay at their nodes until the pass is over (core/place/sets.h):
 *
 *   TAKEN  master → node   a result whose arrays wait at the node counts: it folds them; or it drops them
 *   HAND   master → node   all units are accepted: the node's set of arrays is to go to this node
 *   ARRAYS node → node     it comes, as data behind this message
 *   DROP   master → node   the node that hands a set over is lost: what is not folded yet never will be
 *   FOLDED node → master   the answer to ARRAYS or to DROP, once for each pair of nodes */
#ifndef PLB_CORE_MESSAGE_FOLD_MESSAGE_H
#define PLB_CORE_MESSAGE_FOLD_MESSAGE_H

#include <stdint.h>

struct plb_fold {
    int64_t slot;    /* TAKEN: of the DONE */
    int32_t node;    /* HAND: who gets the set; DROP, FOLDED: who gave it */
    int32_t results; /* HAND: so many results of the node's own count; their TAKENs may come later */
    int32_t counts;  /* TAKEN: 1: it counts; FOLDED: 1: the set was folded; else 0 */
    int32_t serial;  /* HAND: grows with each one, since an older one may come later */
};

#endif
