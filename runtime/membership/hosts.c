/* Ranks of one host get one number: the first of them. */
#include "membership/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct plb_liveness *plb_hosts_judge(const char *const *names, int n, int started, double lost_after,
                                     double now)
{
    int *hosts = plb_alloc((size_t)n * sizeof *hosts);
    for (int i = 0; i < n; i++)
        while (hosts[i] < i && (i >= started || strcmp(names[hosts[i]], names[i]) != 0))
            hosts[i]++;
    struct plb_liveness *liveness = plb_liveness_new(n, hosts, lost_after, now);
    for (int i = started; i < n; i++)
        plb_liveness_await(liveness, i);
    free(hosts);
    return liveness;
}
