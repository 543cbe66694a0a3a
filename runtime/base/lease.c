/* The memory can be reached from here, so that tools that look for leaks find it. */
#include "base/lease.h"

#include "base/memory.h"

static void **leases;
static int n, capacity;

void plb_lease_for_ever(void *memory)
{
    if (memory == NULL)
        return;
    leases = plb_room(leases, n, &capacity, sizeof *leases);
    leases[n++] = memory;
}
