/* The mirror: inputs that this rank has pulled, and keeps for later passes.
 *
 * It has addresses for the whole of each buffer that is pulled, and memory where inputs have arrived. A task
 * whose inputs are all here pulls nothing: it reads them in their place. Inputs do not change while a run
 * lasts, so they stay right. They stay here while there is room: in each pass the same units are asked
 * for, so to drop the oldest ones for new ones would help nobody. Where room is short, a pass begins by
 * dropping what the last one has not used.
 *
 * Results may be an input of the next pass (plb_app_feed). Then the input has a second place, where entries
 * write these results, and the two change places when that pass begins. All inputs are dropped then, but
 * those units stay that this rank has computed once and whose result counted (core/place/owners.h). A late
 * task of an earlier pass may still read one place or write the other one. So nobody uses the places of its
 * units until a pass begins without it.
 *
 * A pass may feed some inputs alone. Still one set says which units are here, with all of their inputs. That
 * is right: after such a pass units are here that this rank has executed in the last one, and for that it had
 * all inputs of them in their places. Others stay as they were. Of units that it executes for the first time
 * a rank lacks all inputs. So one set costs the halo of inputs that were not fed, once more in each pass, by
 * the same messages that bring the others, and nothing else. Communication thread only. */
#ifndef PLB_NODE_MEMORY_MIRROR_H
#define PLB_NODE_MEMORY_MIRROR_H

#include "app/dataset.h"
#include "core/message/message.h"
#include "node/memory/page_locks.h"

struct plb_mirror;

/* For at most so many bytes of inputs. shared: with children that are forked afterwards. Pages of its memory
 * may be locked: it drops them through these locks, NULL: none are. NULL: nothing is kept, since nothing is
 * pulled, or there is no room. The dataset is borrowed, and the locks. */
struct plb_mirror *plb_mirror_new(const struct plb_dataset *set, double most, bool shared,
                                  struct plb_page_locks *locks);
void plb_mirror_free(struct plb_mirror *mirror);

/* Takes room for the inputs of a task: its units, and those of the widest halo around them. Says which of
 * them are to be pulled, into their place; count = 0: none. False: there is no room, or another task pulls
 * some of them; the task has its inputs elsewhere. Halos of neighbours overlap: where there are any, the task
 * only waits for what others pull. */
bool plb_mirror_take(struct plb_mirror *mirror, struct plb_range task, struct plb_range *pulled);

/* Whether units of a pass that come unasked are wanted: that pass runs, and they neither are here nor come
 * already. */
static inline bool plb_mirror_wants(int running, int pass, const struct plb_rangeset *here,
                                    const struct plb_rangeset *coming, struct plb_range units)
{
    return pass == running && !plb_rangeset_overlaps(here, units) && !plb_rangeset_overlaps(coming, units);
}

/* Takes room for units of this pass that come unasked: tasks wait for them. False: they are here, or come, or
 * have no room or place. */
bool plb_mirror_expect(struct plb_mirror *mirror, int pass, struct plb_range units);

/* Whether all inputs of a task are here, and whether some are being pulled. */
bool plb_mirror_has(const struct plb_mirror *mirror, struct plb_range task);
bool plb_mirror_pulls(const struct plb_mirror *mirror, struct plb_range task);

/* The place of a buffer from this unit on. */
void *plb_mirror_place(const struct plb_mirror *mirror, int buffer, int64_t first);

/* The transfers of these units have ended. here: they are as they should be; else they are pulled again. */
void plb_mirror_arrived(struct plb_mirror *mirror, struct plb_range pulled, bool here);

/* The transfers to these units may never end: nobody uses their places any more (base/lease.h). */
void plb_mirror_leave(struct plb_mirror *mirror, struct plb_range pulled);

/* A pass begins. busy: units of tasks that are under way, which stay. */
void plb_mirror_begin_pass(struct plb_mirror *mirror, const struct plb_rangeset *busy);

/* Before that, where the pass is told which results feed which inputs. */
struct plb_mirror_tasks {
    struct plb_rangeset read;    /* units of tasks that were not there at the end: they read inputs */
    struct plb_rangeset sent;    /* units whose results are still sent from their place here, */
    struct plb_rangeset sent_on; /* and of these, those of tasks of the pass before the last one, or older */
};
void plb_mirror_feed(struct plb_mirror *mirror, int pass, const struct plb_pass *begin,
                     const struct plb_mirror_tasks *tasks);

/* The first pass whose inputs are those that are here: transfers for tasks of an earlier one bring others. */
int plb_mirror_since(const struct plb_mirror *mirror);

/* Whether the results of a task that feed inputs go here, where room was taken for it. Then nobody else's of
 * these units do in this pass. */
bool plb_mirror_give(struct plb_mirror *mirror, struct plb_range task);

/* These units will probably be executed here. Those of their inputs that are fed, and the results that feed
 * them, have pages from now on, where there is room. */
void plb_mirror_prepare(struct plb_mirror *mirror, struct plb_range units);

/* The outputs that have a place here, as a mask, and that place from this unit on. */
int64_t plb_mirror_outputs(const struct plb_mirror *mirror);
void *plb_mirror_result(const struct plb_mirror *mirror, int output, int64_t first);

/* A task of this pass whose results go here is reported. */
void plb_mirror_reported(struct plb_mirror *mirror, int pass, struct plb_range task);

/* Whether all results of these units, in this pass, are there. */
bool plb_mirror_made(const struct plb_mirror *mirror, int pass, struct plb_range range);

/* COUNTED: which results of the last pass are inputs of this one. NULL: nothing is here. */
void plb_mirror_counted(struct plb_mirror *mirror, const struct plb_message *counted);

/* The buffers that have a place here, as a mask; NULL: none. */
int64_t plb_mirror_buffers(const struct plb_mirror *mirror);

#endif
