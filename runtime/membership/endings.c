/* A count for each rank, and the sentence about one that is lost. */
#include "membership/endings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

/* Looks for messages after the end of a process, in which its last words arrive: one look may miss what is
 * there. More: its units wait longer. Fewer: others execute the units that have killed it like any others. */
#define LAST_LOOKS 16

void plb_endings_init(struct plb_endings *e, int n)
{
    *e = (struct plb_endings){.n = n};
    e->looks = plb_alloc((size_t)n * sizeof *e->looks);
}

void plb_endings_fini(struct plb_endings *e)
{
    free(e->looks);
}

void plb_endings_hear(struct plb_endings *e, int rank)
{
    if (e->looks[rank] > 0)
        return;
    e->looks[rank] = LAST_LOOKS;
    e->waiting++;
}

int plb_endings_next(struct plb_endings *e, int after)
{
    for (int i = after + 1; i < e->n && e->waiting > 0; i++)
        if (e->looks[i] > 0 && --e->looks[i] == 0) {
            e->waiting--;
            return i;
        }
    return -1;
}

void plb_endings_say(char *text, size_t room, const char *unit, bool begun, bool closes)
{
    if (begun && !closes)
        snprintf(text, room, "its %s are re-executed elsewhere", unit);
    else
        snprintf(text, room, "the run %s without it", closes ? "ends" : "cannot begin");
}
