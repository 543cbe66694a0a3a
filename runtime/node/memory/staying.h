/* Results that stay on this rank until the last pass has ended (core/place/owners.h).
 *
 * It has addresses for the whole of each such output, and memory where units were executed. An entry writes
 * there in place. In each pass one task alone writes a unit here: a second one on this rank, and one that
 * finds no room, has buffers of its own, and its results are sent. So nobody writes over what was reported.
 * Communication thread only; the memory itself is the tasks'. */
#ifndef PLB_NODE_MEMORY_STAYING_H
#define PLB_NODE_MEMORY_STAYING_H

#include "node/memory/node_config.h"
#include "node/memory/page_locks.h"

struct plb_staying;

/* For at most so many bytes of results. shared: with children that are forked afterwards. NULL: nothing
 * stays, or there is no room. Dataset and locks as plb_mirror_new. */
struct plb_staying *plb_staying_new(const struct plb_dataset *set, double most, bool shared,
                                    struct plb_page_locks *locks);
void plb_staying_free(struct plb_staying *staying);

/* A pass begins. busy: units of tasks that are under way, and may still be written. */
void plb_staying_begin_pass(struct plb_staying *staying, int pass, int64_t stays,
                            const struct plb_rangeset *busy);

/* A pass begins that makes units of the last one again, whose results stay: none of its own do. */
void plb_staying_go_on(struct plb_staying *staying, int pass);

/* Whether the results of a task of this pass go here. Then nobody else's of these units do. */
bool plb_staying_take(struct plb_staying *staying, struct plb_range task);

/* The place of a buffer from this unit on. */
void *plb_staying_place(const struct plb_staying *staying, int buffer, int64_t first);

/* A task of this pass whose results go here is reported. */
void plb_staying_reported(struct plb_staying *staying, int pass, struct plb_range task);

/* Whether all results of these units, in this pass, are here. */
bool plb_staying_made(const struct plb_staying *staying, int pass, struct plb_range range);

/* The buffers that have a place here, as a mask; NULL: none. */
int64_t plb_staying_buffers(const struct plb_staying *staying);

#endif
