/* The memory can be reached from here, so that tools that look for leaks find it. */
#include "base/lease.h"

#include "base/memory.h"

static void **leases;
static int n_leases, capacity;

void plb_lease_for_ever(void *memory)
{
    if (memory == NULL)
        return;
    leases = plb_room(leases, n_leases, &capacity, sizeof *leases);
    leases[n_leases++] = memory;
}

void plb_lease_all(void **memory, int n)
{
    for (int i = 0; i < n; i++) {
        plb_lease_for_ever(memory[i]);
        memory[i] = NULL;
    }
}
