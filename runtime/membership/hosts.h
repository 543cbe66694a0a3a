/* Which ranks share a host, for the judge of who lives. */
#ifndef PLB_MEMBERSHIP_HOSTS_H
#define PLB_MEMBERSHIP_HOSTS_H

#include "core/liveness.h"

/* A judge of n ranks, of which `started` are there; the others are awaited, and have nobody
 * to answer for them. names: of their hosts, by rank. */
struct plb_liveness *plb_hosts_judge(const char *const *names, int n, int started, double lost_after,
                                     double now);

#endif
