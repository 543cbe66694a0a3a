/* BYE, counts, traces. */
#include "run/finish.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "outcome/fill_report.h"
#include "rank0/rank0.h"
#include "foresee/pareto.h"
#include "outcome/traffic.h"
#include "foresee/what_if.h"
#include "profile/profiles.h"

/* The tag of traces. Results of this tag have arrived before. */
#define TRACE_TAG 0

void plb_finish_say(struct plb_rank *r)
{
    struct plb_bye bye = {.slowest_answer_s = r->slowest_answer};
    plb_node_collect_trace(r->node, &r->trace);
    plb_mpi_counts(r->mpi, &bye.messages, &bye.bytes, &bye.received);
    for (int pu = 0; pu < PLB_LEAST; pu++)
        bye.copied_out[pu] = plb_node_copied_out(r->node, pu);
    bye.trace_bytes = r->trace.n * (int64_t)sizeof *r->trace.at;
    plb_outbox_add(&r->out, PLB_BYE, r->rank, 0, r->pass)->bye = bye;
    if (r->rank0 == NULL)
        plb_mpi_put(r->mpi, 0, TRACE_TAG, r->trace.at, (size_t)bye.trace_bytes, &r->sends);
}

void plb_finish_on_bye(struct plb_rank *r, const struct plb_message *bye)
{
    struct plb_parting *p = &r->rank0->partings[bye->from];
    if (p->state != PLB_BYE_AWAITED)
        return;
    p->state = PLB_BYE_SAID;
    p->bye = bye->bye;
    if (bye->from == 0 || bye->bye.trace_bytes == 0)
        return;
    p->trace = plb_alloc((size_t)p->bye.trace_bytes);
    plb_mpi_get(r->mpi, bye->from, TRACE_TAG, p->trace, (size_t)p->bye.trace_bytes, &p->pending);
}

bool plb_finish_awaits(struct plb_rank *r)
{
    bool awaits = false;
    for (int i = 0; i < r->size; i++) {
        const struct plb_parting *p = &r->rank0->partings[i];
        bool all = p->state != PLB_BYE_AWAITED && p->pending == 0;
        if (all && p->state == PLB_BYE_SAID)
            plb_life_excuse(r->life, i);
        awaits |= !all;
    }
    return awaits;
}

/* Gives events the number that their PU has in the run. */
static void number(const struct plb_rank0 *rank0, struct plb_trace_event *events, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        for (int p = 0; p < rank0->n_pus; p++)
            if (rank0->pus[p].node == events[i].node && rank0->pus[p].local == events[i].pu) {
                events[i].pu = p;
                break;
            }
}

void plb_finish_trace(struct plb_rank *r, struct plb_trace *trace)
{
    number(r->rank0, r->trace.at, r->trace.n);
    if (trace->on)
        plb_trace_join(trace, r->trace.at, r->trace.n);
    for (int i = 1; i < r->size; i++) {
        struct plb_parting *p = &r->rank0->partings[i];
        int64_t n = p->bye.trace_bytes / (int64_t)sizeof *p->trace;
        if (p->state == PLB_BYE_NEVER || p->trace == NULL || p->pending > 0)
            continue; /* MPI may still write to it */
        number(r->rank0, p->trace, n);
        if (trace->on)
            plb_trace_join(trace, p->trace, n);
        free(p->trace);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How many hosts the ranks run on. */
static int count_hosts(const struct plb_rank *r)
{
    size_t n = (size_t)r->size;
    const char **all = plb_alloc(n * sizeof *all);
    int hosts = 1;
    memcpy(all, r->hosts, n * sizeof *all);
    qsort(all, n, sizeof *all, by_text);
    for (size_t i = 1; i < n; i++) /* those that have not joined come first */
        hosts += strcmp(all[i - 1], all[i]) != 0 && all[i - 1][0] != '\0';
    free(all);
    return hosts;
}

/* Results may be copied from a device after the latest report of its PU. */
static void count_copies(const struct plb_rank0 *rank0, struct plb_report *report)
{
    for (int p = 0; p < report->n_pus; p++) {
        const struct plb_pu_info *info = plb_master_pu(rank0->master, p);
        const int64_t out = info->local < PLB_LEAST ? rank0->partings[info->node].bye.copied_out[info->local]
                                                    : 0;
        if (out > report->pus[p].copied_out)
            report->pus[p].copied_out = out;
    }
}

void plb_finish_report(struct plb_rank *r, struct plb_report *report)
{
    const struct plb_rank0 *rank0 = r->rank0;
    if (rank0->master == NULL)
        return;
    plb_report_from_master(rank0->master, rank0->job, rank0->times, report);
    count_copies(rank0, report);
    if (rank0->job->pareto == NULL)
        rank0->job->pareto = plb_pareto_of_report(report);
    plb_pareto_learn(rank0->job->pareto, rank0->job, rank0->master);
    plb_what_if_learn(rank0->job->what_if, rank0->job, rank0->master);
    plb_profiles_collect(rank0->job->profiles, rank0->master, report);
    report->traffic = plb_report_traffic_new(r->hosts, r->size);
    report->n_traffic = r->size;
    int64_t to_others = 0;
    for (int i = 0; i < r->size; i++) {
        const struct plb_bye *bye = &rank0->partings[i].bye;
        report->traffic[i].messages = bye->messages;
        report->traffic[i].bytes = bye->bytes;
        report->slowest_answer_s = fmax(report->slowest_answer_s, bye->slowest_answer_s);
        report->messages += bye->messages;
        report->bytes_moved += bye->bytes;
        report->traffic[i].received = bye->received;
        to_others += i > 0 ? bye->received : 0;
    }
    if (r->size > 0) /* its own count has traces, too */
        report->traffic[0].received = report->bytes_moved > to_others ? report->bytes_moved - to_others : 0;
    report->mode = PLB_REAL_RUN;
    report->migration = rank0->job->balance.migration.on;
    report->nodes = 0;
    for (int i = 0; i < r->size; i++)
        report->nodes += r->hosts[i][0] != '\0';
    report->hosts = count_hosts(r);
    report->makespan_s = rank0->makespan;
    report->between_s = rank0->between;
    report->collect_s = rank0->collect;
    if (rank0->began > 0.0) /* on the run's clock */
        report->setup_s = fmax(rank0->began - r->clock - rank0->job->began_s, 0.0);
    report->solve_s = rank0->solve;
    report->damaged = rank0->damaged;
    report->passes_again = rank0->redo.again;
    report->again_s = rank0->redo.took;
    plb_report_add_emulated_energy(rank0->master, &rank0->job->cluster, report);
    report->meters = rank0->meters;
    report->n_meters = rank0->n_meters;
    plb_report_derive(report);
}
