#include "rank0/rank0_announcement.h"

#include <string.h>

#include "app/feeds.h"
#include "base/clock.h"
#include "inputs/data_mpi.h"
#include "job/kernel_search.h"
#include "membership/joiners.h"
#include "rank0/rank0.h"

void plb_announcement_fill(struct plb_announcement *a, const struct plb_rank *r)
{
    const struct plb_job *job = r->rank0->job;
    const struct plb_master_config master = plb_job_master(job);
    const char *kernel = plb_settings_get(&job->settings, "app", "kernel")->text;
    plb_kernel_name_for_ranks(kernel, a->kernel);
    a->cluster_nodes = job->cluster.n_nodes;
    a->cluster_pus = job->cluster.n_pus;
    a->pus = job->machines.pus;
    a->trace = r->rank0->trace->on;
    a->audits = master.audit > 0.0;
    a->checksums = job->run.checksums;
    a->isolate = job->run.isolate;
    a->meters = job->run.meters && job->cluster.n_nodes == 0;
    a->learns_watts = job->goal.objective != PLB_OBJECTIVE_TIME || job->goal.power_cap > 0.0;
    a->keeps_inputs = master.resident;
    a->stays = r->options->keep_partial ? 0 : master.stays;
    a->fed = master.feeds_stay && a->stays != 0 ? plb_feeds_staying(&job->app) : 0;
    /* A child of an isolated task may not see what is brought, and a kernel that hears looks at results. */
    a->keeps_results = a->fed != 0 && job->run.keep_results && !a->audits && !a->isolate
                    && job->kernel->heard == NULL;
    a->named = plb_feeds_inputs(&job->app);
    a->hung_after = job->run.hung_after;
    a->left_s = plb_early_end_left(&job->run, job->began_s);
    a->migration = job->balance.migration;
    a->grain = master.grain;
    a->pulled_bytes = master.pulled_bytes;
    a->origin = plb_now();
    a->joiners = plb_joiners(job);
}

void plb_announce(struct plb_rank *r, struct plb_announcement *a)
{
    plb_announcement_fill(a, r);
    a->told = plb_now();
    a->origin = a->told - plb_rank_time(r);
    a->hello = r->hello;
    memcpy(a->host, r->host, sizeof a->host);
    plb_mpi_broadcast(r->mpi, a, sizeof *a);
    plb_dataset_tell(&r->data, r->mpi);
    for (int i = 0; i < r->n_maps; i++) {
        struct plb_cost_map *map = &r->maps[i];
        plb_mpi_broadcast(r->mpi, map, sizeof *map);
        if (map->prefix != NULL)
            plb_mpi_broadcast(r->mpi, (void *)map->prefix, (size_t)(map->n + 1) * sizeof *map->prefix);
    }
}
