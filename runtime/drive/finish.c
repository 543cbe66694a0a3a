/* Gathering reports and traces. */
#include "drive/finish.h"

#include <math.h>
#include <stdlib.h>

#include "drive/fill_report.h"
#include "drive/rank0.h"
#include "profile/profiles.h"

void plb_cluster_gather_trace(struct plb_rank *r, struct plb_trace *trace)
{
    struct plb_trace own = {0};
    const struct plb_rank0 *rank0 = r->rank0;
    size_t bytes;
    plb_node_collect_trace(r->node, &own);
    struct plb_trace_event *all = plb_mpi_gather(r->mpi, own.at, (size_t)own.n * sizeof *own.at, &bytes);
    for (size_t i = 0; rank0 != NULL && i < bytes / sizeof *all; i++)
        for (int p = 0; p < rank0->n_pus; p++)
            if (rank0->pus[p].node == all[i].node && rank0->pus[p].local == all[i].pu) {
                all[i].pu = p; /* its number in the run */
                break;
            }
    if (rank0 != NULL && trace->on)
        plb_trace_append(trace, all, (int64_t)(bytes / sizeof *all));
    free(all);
    plb_trace_fini(&own);
}

void plb_cluster_gather_report(struct plb_rank *r, struct plb_report *report)
{
    int64_t counts[2], sums[2] = {0, 0};
    const struct plb_rank0 *rank0 = r->rank0;
    size_t bytes;
    plb_mpi_counts(r->mpi, &counts[0], &counts[1]);
    int64_t *all = plb_mpi_gather(r->mpi, counts, sizeof counts, &bytes);
    for (size_t i = 0; i < bytes / sizeof *all; i++)
        sums[i % 2] += all[i];
    free(all);
    int slowest_us = plb_mpi_max(r->mpi, (int)fmin(r->slowest_answer * 1e6, 1e9));
    if (rank0 == NULL || rank0->master == NULL)
        return;
    plb_report_from_master(rank0->master, &rank0->job->app, rank0->job->balancer->name, report);
    plb_profiles_collect(rank0->job->profiles, rank0->master, report);
    report->mode = PLB_REAL_RUN;
    report->migration = rank0->job->balance.migration.on;
    report->slowest_answer_s = slowest_us * 1e-6;
    report->nodes = r->size;
    report->makespan_s = rank0->makespan;
    report->solve_s = rank0->solve;
    report->messages = sums[0];
    report->bytes_moved = sums[1];
    plb_report_derive(report);
}
