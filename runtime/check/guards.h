/* Memory of tasks that are tried, between pages that nobody may touch.
 *
 * A region of addresses is shared with child processes that are forked later. The parent may touch all of it.
 * A child opens the pages of one task at a time, and read-only memory is read-only there. Each buffer has
 * as many forbidden bytes before and behind it as its fence says, so that a wrong index hits them, and not
 * another buffer.
 *
 * A buffer stands at the begin of its pages or at their end. The rest of a page there has a known
 * pattern. Not thread-safe. */
#ifndef PLB_CHECK_GUARDS_H
#define PLB_CHECK_GUARDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The bytes of one buffer that a task may use. A zeroed struct is no buffer. */
struct plb_guarded {
    char *begin, *end; /* all that belongs to it, guards included */
    char *low, *high;  /* whole pages that can be touched */
    char *from, *to;   /* its bytes, with a halo */
    char *data;        /* what the task gets */
    bool writable;
};

struct plb_guards {
    char *base;
    size_t bytes, used;
};

/* The needs of a buffer. */
struct plb_guarding {
    size_t before, bytes, after; /* its own bytes, and those of a halo */
    size_t align;                /* of its own bytes; a power of two up to 64 */
    size_t fence;                /* forbidden bytes on either side, at least */
    bool at_end;                 /* of its pages; else at their begin */
    bool writable;
    unsigned char pattern; /* of what is left of the pages */
};

/* Reserves addresses. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_guards_open(struct plb_guards *guards, struct plb_error *err);
void plb_guards_close(struct plb_guards *guards);

/* Places a buffer behind those before. False: there are not so many addresses. `used` set back forgets the
 * later ones; their pages stay. */
bool plb_guards_add(struct plb_guards *guards, const struct plb_guarding *wanted, struct plb_guarded *placed);

/* The first byte beside a buffer that has not its pattern any more; NULL: all have. */
const char *plb_guards_touched(const struct plb_guarded *placed, unsigned char pattern);

/* In a child: forbids everything; then opens n buffers, or forbids them again. False: the system refuses. */
bool plb_guards_forbid_all(const struct plb_guards *guards);
bool plb_guards_permit(const struct plb_guarded *placed, int n, bool permit);

#endif
