/* A row for each node. */
#include "outcome/traffic.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"

struct plb_report_traffic *plb_report_traffic_new(const char *const *hosts, int n)
{
    struct plb_report_traffic *traffic = plb_alloc((size_t)n * sizeof *traffic);
    for (int i = 0; i < n; i++) {
        traffic[i].node = i;
        snprintf(traffic[i].host, sizeof traffic[i].host, "%s", hosts[i]);
    }
    return traffic;
}

struct plb_report_traffic *plb_report_traffic_of(const struct plb_cluster_spec *cluster)
{
    const char **hosts = plb_alloc((size_t)cluster->n_nodes * sizeof *hosts);
    for (int n = 0; n < cluster->n_nodes; n++)
        hosts[n] = cluster->nodes[n].name;
    struct plb_report_traffic *traffic = plb_report_traffic_new(hosts, cluster->n_nodes);
    free(hosts);
    return traffic;
}
