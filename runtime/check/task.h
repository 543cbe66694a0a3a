/* One task of a kernel, tried. */
#ifndef PLB_CHECK_TASK_H
#define PLB_CHECK_TASK_H

#include "check/state.h"

/* A pass begins: places what is replicated. PLB_OK; or PLB_EINPUT and a sentence: the job is too large. */
int plb_check_place_replicated(struct plb_check *c, struct plb_error *err);

/* Tries a task. True: results[i] is its part of buffer i, where that is a result or has records, until the
 * next call. False: there are none, and why was found, or is in `err`. quiet: what is found is not told. */
bool plb_check_task(struct plb_check *c, const struct plb_check_way *way, struct plb_range range, bool quiet,
                    void *results[PLB_MAX_DATA], struct plb_error *err);

/* Has the kernel fold buffer i: `into` becomes that of both. As above. */
bool plb_check_fold(struct plb_check *c, int i, void *into, const void *from, struct plb_error *err);

/* The bytes of a task's part of buffer i, as in its results. */
size_t plb_check_bytes(const struct plb_check *c, int i, struct plb_range range, size_t *offset);

/* Whether two results of a range agree, by the kernel's rule or by rounding. *byte: the first that does
 * not. */
bool plb_check_same(struct plb_check *c, int i, struct plb_range range, const void *one, const void *other,
                    size_t *byte);

#endif
