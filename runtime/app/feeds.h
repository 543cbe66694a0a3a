/* Results of a pass that are inputs of the next one (plb_app_feed), on rank 0.
 *
 * They become inputs when `next` has returned and a further pass follows. So inputs are those of the last
 * pass as long as anybody may ask for its results again. Results that stay are read by entries alone: they
 * and the inputs change places, and go back to the kernel's own before it looks. Others are copied. Not
 * thread-safe. */
#ifndef PLB_APP_FEEDS_H
#define PLB_APP_FEEDS_H

#include "app/dataset.h"

/* A pass begins: results become the inputs that they feed. Replicated ones count as replaced. Writes the
 * feeds of partitioned inputs into its PASS. Returns the partitioned inputs that have changed, as a mask. No
 * task of this rank runs. */
int64_t plb_feeds_take(struct plb_app *app, struct plb_dataset *set, struct plb_pass *begin);

/* Results and inputs that have changed places go back to where the kernel has declared them. */
void plb_feeds_put_back(const struct plb_app *app, struct plb_dataset *set);

/* Whether the end of a pass must wait for so many transfers of inputs: a feed may change them. */
bool plb_feeds_wait(const struct plb_app *app, int transfers);

/* The partitioned inputs whose contents may stay at the nodes that have computed them, as a mask. 0: there
 * are none, or other results must go to rank 0 in each pass. So setup has named a feed of one input for each
 * output, all of which stay and none of which is a file, and there are no records. */
int64_t plb_feeds_staying(const struct plb_app *app);

/* The outputs that feed inputs, and the inputs that are fed, as masks. */
int64_t plb_feeds_outputs(const struct plb_app *app);
int64_t plb_feeds_inputs(const struct plb_app *app);

#endif
