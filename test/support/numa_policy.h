/* Where new pages of memory come from, as the system tells. */
#ifndef TEST_NUMA_POLICY_H
#define TEST_NUMA_POLICY_H

#include <linux/mempolicy.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether the page prefers node 0; -1: the system does not tell. */
static inline int prefers_node_0(const void *page)
{
    unsigned long nodes[16] = {0};
    int mode = -1;
    if (syscall(SYS_get_mempolicy, &mode, nodes, 8 * sizeof nodes, page, (long)MPOL_F_ADDR) != 0)
        return -1;
    return mode == MPOL_PREFERRED && nodes[0] == 1;
}

#endif
