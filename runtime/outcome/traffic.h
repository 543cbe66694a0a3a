/* The traffic of nodes, for the report. */
#ifndef PLB_OUTCOME_TRAFFIC_H
#define PLB_OUTCOME_TRAFFIC_H

#include "model/cluster_spec.h"
#include "report/report.h"

/* Counts of what each node sends, all zero yet; to be freed. hosts: n names, which are copied. */
struct plb_report_traffic *plb_report_traffic_new(const char *const *hosts, int n);
struct plb_report_traffic *plb_report_traffic_of(const struct plb_cluster_spec *cluster);

#endif
