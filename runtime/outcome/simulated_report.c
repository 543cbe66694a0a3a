/* The report of a simulation: what the master tells, and what only virtual machines can. */
#include "outcome/simulated_report.h"

#include "foresee/what_if.h"
#include "outcome/fill_report.h"
#include "profile/profiles.h"

/* How long the static watts of a PU's node count: from the start of the job to its end, or to the end of the
 * node's last task where its PUs are left out, or only while it has tasks. */
static double static_seconds(const struct plb_master *master, int p, const struct plb_node_seconds *node,
                             double makespan)
{
    enum plb_static_rule rule = plb_master_goal(master)->rule;
    const struct plb_pu_info *own = plb_master_pu(master, p);
    bool stays = false;
    if (rule != PLB_STATIC_OFF_WHEN_IDLE)
        return rule == PLB_STATIC_JOB ? makespan : node->busy_s;
    for (int q = p - own->local; q < plb_master_pus(master) && plb_master_pu(master, q)->node == own->node;
         q++)
        stays = stays || !plb_pu_waits(plb_master_state(master, q));
    return stays && node->last_s > 0.0 ? makespan : node->last_s;
}

static void add_energy(const struct plb_master *master, const struct plb_cluster_spec *cluster,
                       const double *worked_s, const struct plb_node_seconds *node_s, struct plb_report *r)
{
    for (int p = 0; p < r->n_pus; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        int number = cluster->nodes[info->node].first_pu + info->local;
        r->pus[p].static_j = cluster->pus[number].static_watts
                           * static_seconds(master, p, &node_s[info->node], r->makespan_s);
        r->pus[p].dynamic_j = cluster->pus[number].dynamic_watts * worked_s[number];
    }
}

void plb_report_from_simulation(struct plb_job *job, const struct plb_simulated *result,
                                const struct plb_simulation *s, struct plb_report *report)
{
    plb_report_from_master(result->master, job, result->times, report);
    plb_what_if_learn(job->what_if, job, result->master);
    plb_profiles_collect(job->profiles, result->master, report);
    report->mode = PLB_SIMULATED;
    report->replayed = job->true_map != NULL;
    report->migration = job->balance.migration.on;
    report->nodes = report->hosts = job->cluster.n_nodes;
    report->makespan_s = result->makespan_s;
    report->optimum_s = result->optimum_s;
    report->solve_s = result->solve_s;
    report->messages = result->messages;
    report->bytes_moved = result->bytes;
    add_energy(result->master, &job->cluster, s->worked_s, s->node_s, report);
    report->traffic = s->traffic;
    report->n_traffic = job->cluster.n_nodes;
    plb_report_derive(report);
}
