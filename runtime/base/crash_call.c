/* One for each thread: a signal handler gets no argument. */
#include "base/crash_call.h"

#include <stddef.h>

static _Thread_local struct plb_crash_call *own;

struct plb_crash_call *plb_crash_own(void)
{
    return own;
}

void plb_crash_set_own(struct plb_crash_call *call)
{
    own = call;
}

void plb_crash_begin(const char *entry, int64_t first, int64_t count)
{
    if (own == NULL)
        return;
    own->first = first;
    own->count = count;
    own->entry = entry;
}

void plb_crash_end(void)
{
    if (own != NULL)
        own->entry = NULL;
}
