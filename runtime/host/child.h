/* A child process that makes the calls of one thread. A call that crashes, ends its process or is killed
 * takes only the child.
 *
 * The first call forks the child, which then waits for the next one. It has the memory of its parent as it
 * was at the fork, but for memory from plb_child_alloc, which both share. So a fork is needed anew where such
 * memory was added, and where the caller says that other memory has changed. A call without a fork costs two
 * switches between processes. A child has one thread at first, and ends with the thread that has forked it.
 *
 * The thread that owns the child makes all calls, but for the two that say otherwise. */
#ifndef PLB_HOST_CHILD_H
#define PLB_HOST_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct plb_child;

/* A call in the child. The request is shared memory, and the result goes back to the parent. */
typedef int (*plb_child_fn)(void *context, void *request);

/* How a child has ended that has not answered. */
struct plb_child_end {
    int signal; /* 0: by exit, or nobody knows */
    int status; /* that exit has told */
    bool asked; /* plb_child_kill was called */
};

/* A child whose requests have so many bytes. Nothing is forked yet. */
struct plb_child *plb_child_new(plb_child_fn work, void *context, size_t request_bytes);

/* Ends the child. NULL: nothing. By any thread, when the owner makes no more calls. */
void plb_child_free(struct plb_child *child);

/* Where the next request is to be written; zeroed at first. */
void *plb_child_request(struct plb_child *child);

/* Memory that the child shares; zeroed whole pages. By any thread. */
void *plb_child_alloc(struct plb_child *child, size_t bytes);

/* Other memory has changed that the child reads: the next call is made by a new child. */
void plb_child_renew(struct plb_child *child);

/* Has a child ready, so that the next call needs no fork. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_child_ready(struct plb_child *child, struct plb_error *err);

/* Has the child make a call. ANSWERED: *result is what `work` returned. ENDED: the child has ended in the
 * call, and *end says how. MISSING, with a sentence: no child could be started. */
enum plb_child_outcome { PLB_CHILD_ANSWERED, PLB_CHILD_ENDED, PLB_CHILD_MISSING };
enum plb_child_outcome plb_child_call(struct plb_child *child, int *result, struct plb_child_end *end,
                                      struct plb_error *err);

/* Kills the child, so that its call ends soon. NULL, or no child: nothing. By any thread. */
void plb_child_kill(struct plb_child *child);

#endif
