/* Where the communication thread of a rank runs.
 *
 * The PUs of several ranks on a host are bound to cores of their own. On a core of another rank the thread
 * would take turns with a PU of which it knows nothing: where it yields, it waits for as long as that one's
 * task. On its own rank's cores it sleeps while the PUs execute. So it stays there, where all PUs of the rank
 * are bound. The kernel's `next`, `fold` and `agree` get all cores (plb_own_cores_leave).
 *
 * Communication thread only. */
#ifndef PLB_EVERY_RANK_OWN_CORES_H
#define PLB_EVERY_RANK_OWN_CORES_H

#include "every_rank/rank.h"

/* The calling thread becomes the communication thread: it goes to its cores, wakes up fast, and has no
 * threads of OpenMP. */
void plb_own_cores_begin(struct plb_rank *rank);

#endif
