/* Sentences about tasks that failed and data that arrived damaged. */
#ifndef PLB_RANK0_FAILURE_TEXT_H
#define PLB_RANK0_FAILURE_TEXT_H

#include "core/message/message.h"
#include "plb/kernel.h"

#define PLB_FAILURE_TEXT 600 /* bytes with the end; a longer text is cut */

/* Says of a FAIL what failed and how, on which PU, and for which units: a sentence without its end. phase:
 * the one that ran. pus: those of the run, as they said HELLO. */
void plb_failure_describe(const struct plb_message *fail, const struct plb_kernel *kernel, int phase,
                          const struct plb_pu_info *pus, int n_pus, char text[PLB_FAILURE_TEXT]);

/* Transfers that may arrive damaged. More: a run on a broken network lasts longer before it fails. Fewer: one
 * fails that could still end well. A guess: sound networks damage next to nothing. */
#define PLB_MOST_DAMAGED 1000

/* Warns of data that arrived damaged, and counts it: the inputs that a FETCH asks for again, or the results
 * of a DONE or a FROM. */
void plb_say_damaged(const struct plb_kernel *kernel, const struct plb_message *message, int64_t *count);

#endif
