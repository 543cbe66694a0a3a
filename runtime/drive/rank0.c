/* Rank 0's side of the messages: passes, results, inputs for others, failures. */
#include "drive/rank0.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "drive/data_mpi.h"
#include "drive/fill_report.h"
#include "profile/profiles.h"

/* Tells every node, our own included, that the run is over. */
static void stop_all(struct run *r, int status)
{
    if (r->lead->stopping)
        return;
    r->lead->stopping = true;
    for (int n = 0; n < r->size; n++)
        plb_outbox_add(&r->out, PLB_STOP, n)->status = status;
}

/* The master can find at any event that there is no way on. */
static bool stop_on_failure(struct run *r)
{
    const char *failure = plb_master_failure(r->lead->master);
    if (failure != NULL)
        stop_all(r, plb_fail(r->err, PLB_EFAILED, "%s", failure));
    return failure != NULL;
}

static void begin_pass(struct run *r)
{
    struct leader *lead = r->lead;
    int64_t replaced = 0;
    for (int i = 0; i < r->data.n; i++) {
        replaced |= lead->job->app.replaced[i] ? (int64_t)1 << i : 0;
        lead->job->app.replaced[i] = false;
    }
    lead->pass++;
    int phase = plb_app_begin_pass(&lead->job->app);
    for (int n = 1; n < r->size; n++) {
        struct plb_message m = {.type = PLB_PASS, .to = n, .pass = lead->pass, .slot = PLB_NO_SLOT};
        m.status = replaced;
        m.phase = phase;
        plb_mpi_send(r->mpi, &m);
    }
    plb_mpi_flush(r->mpi);
    plb_dataset_replace(&r->data, replaced, r->mpi);
    plb_node_pass(r->node, lead->pass, phase, replaced);
    lead->pass_began = run_time(r);
    lead->in_pass = true;
    plb_master_begin(lead->master, lead->pass, phase, &lead->job->maps[phase], lead->pass_began, &r->out);
    stop_on_failure(r);
}

static void show_pus(const struct leader *lead)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    for (int p = 0; p < lead->n_pus; p++) {
        const struct plb_pu_info *pu = &lead->pus[p];
        if (pu->id[0] != '\0')
            plb_say("PU %d: rank %d on %s, %s '%s' (%s), %.3g GB free, driven from cores %s, power %g", p, pu->node, pu->host, kinds[pu->kind],
                    pu->name, pu->id, pu->memory / 1e9, pu->cores, pu->power);
        else
            plb_say("PU %d: rank %d on %s, %s '%s', %d thread%s on cores %s, power %g", p, pu->node, pu->host, kinds[pu->kind],
                    pu->name, pu->threads, pu->threads == 1 ? "" : "s", pu->cores, pu->power);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct plb_pu_info *x = a, *y = b;
    return x->node != y->node ? x->node - y->node : x->local - y->local;
}

void plb_lead_hello(struct run *r, const struct plb_pu_info *info)
{
    struct leader *lead = r->lead;
    lead->pus = plb_grow(lead->pus, (size_t)(lead->n_pus + 1) * sizeof *lead->pus);
    lead->pus[lead->n_pus++] = *info;
    if (lead->n_pus < lead->expected)
        return;
    qsort(lead->pus, (size_t)lead->n_pus, sizeof *lead->pus, by_place);
    struct plb_master_config config = plb_job_master(lead->job);
    lead->master = plb_master_new(&config, lead->pus, lead->n_pus);
    if (r->options->show_pus || r->options->verbose)
        show_pus(lead);
    if (plb_results_refused(lead->master, &lead->job->app) == lead->n_pus) {
        stop_all(r, plb_fail(r->err, PLB_EINPUT, "no PU has the memory for this job (the warnings have the numbers); it needs others, or smaller units"));
        return;
    }
    if (r->options->dry_run) {
        stop_all(r, PLB_OK);
        return;
    }
    lead->job->profiles = plb_profiles_open(&(struct plb_profiles_config){
        .kernel = lead->job->kernel,
        .maps = lead->job->maps,
        .cluster = &lead->job->cluster,
        .mode = lead->job->balance.profile,
        .verbose = r->options->verbose,
    });
    plb_profiles_recall(lead->job->profiles, lead->master);
    if (plb_profiles_require(&config, lead->master, r->err) == PLB_OK)
        begin_pass(r);
    else
        stop_all(r, r->err->status);
}

/* The pass is over: does the kernel want another? */
static void end_pass(struct run *r)
{
    struct leader *lead = r->lead;
    bool again = false;
    lead->in_pass = false;
    lead->makespan += run_time(r) - lead->pass_began;
    plb_job_next(lead->job, lead->pass - 1, &again, r->err);
    if (again && r->err->status == PLB_OK)
        begin_pass(r);
    else
        stop_all(r, r->err->status);
}

/* All results of a DONE are here. */
static void accept(struct run *r, const struct plb_message *done)
{
    struct leader *lead = r->lead;
    double before = run_time(r);
    int64_t solves = plb_master_stats(lead->master)->solves;
    plb_master_done(lead->master, done, before, &r->out);
    double after = run_time(r);
    if (plb_master_stats(lead->master)->solves > solves) {
        lead->solve += after - before;
        plb_trace_add(lead->trace, (struct plb_trace_event){PLB_TRACE_SOLVE, 0, PLB_TRACE_MASTER, lead->pass, before, after - before, 0, 0, 0});
    }
    if (!stop_on_failure(r) && lead->in_pass && plb_master_over(lead->master))
        end_pass(r);
}

static void fold(struct run *r, int i, const void *partial)
{
    plb_reduce_fold(&r->data.at[i], r->data.host[i], partial);
}

/* A DONE from another rank: its results are received straight into their place. */
static void receive_results(struct run *r, const struct plb_message *done)
{
    struct incoming *in = plb_alloc(sizeof *in);
    in->done = *done;
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(&r->data, i, done->range, &offset, &bytes);
        if (!plb_data_is_result(&r->data.at[i]))
            continue;
        bool reduced = r->data.at[i].mode == PLB_REDUCE;
        if (reduced)
            in->partial[i] = plb_alloc(bytes);
        plb_mpi_get(r->mpi, done->from, done->slot, reduced ? in->partial[i] : (char *)r->data.host[i] + offset, bytes, &in->pending);
    }
    in->next = r->lead->incoming;
    r->lead->incoming = in;
}

void plb_lead_done(struct run *r, const struct plb_message *done)
{
    if (done->slot != PLB_NO_SLOT && done->from != 0) {
        receive_results(r, done);
        return;
    }
    for (int i = 0; i < r->data.n && done->slot != PLB_NO_SLOT; i++)
        if (r->data.at[i].mode == PLB_REDUCE)
            fold(r, i, plb_node_result(r->node, done->slot, i));
    if (done->slot != PLB_NO_SLOT)
        plb_node_release(r->node, done->slot);
    accept(r, done);
}

/* Accepts the DONEs whose results have arrived. */
bool plb_lead_collect(struct run *r)
{
    bool moved = false;
    for (struct incoming **at = &r->lead->incoming; *at != NULL;) {
        struct incoming *in = *at;
        if (in->pending > 0) {
            at = &in->next;
            continue;
        }
        *at = in->next;
        for (int i = 0; i < r->data.n; i++)
            if (in->partial[i] != NULL) {
                fold(r, i, in->partial[i]);
                free(in->partial[i]);
            }
        accept(r, &in->done);
        free(in);
        moved = true;
    }
    return moved;
}

void plb_lead_moved(struct run *r, const struct plb_message *m)
{
    plb_master_moved(r->lead->master, m, run_time(r), &r->out);
}

void plb_lead_fail(struct run *r, const struct plb_message *m)
{
    const struct leader *lead = r->lead;
    const char *name = "?", *host = "?";
    char title[PLB_PHASE_TITLE], what[100];
    for (int p = 0; p < lead->n_pus; p++)
        if (lead->pus[p].node == m->from && lead->pus[p].local == m->pu) {
            name = lead->pus[p].name;
            host = lead->pus[p].host;
        }
    plb_phase_title(lead->job->kernel, lead->job->app.running, title);
    if (m->text[0] != '\0')
        snprintf(what, sizeof what, "failed (%s)", m->text);
    else
        snprintf(what, sizeof what, "returned %lld", (long long)m->status);
    plb_fail(r->err, PLB_EFAILED, "%s %s on PU '%s' (rank %d on %s) for %s %lld to %lld; no output is written", title, what, name, m->from, host,
             lead->job->kernel->unit, (long long)m->range.first, (long long)(m->range.first + m->range.count - 1));
    stop_all(r, PLB_EFAILED);
}

/* Sends the inputs of a range to the node that is about to work on it. */
void plb_lead_pull(struct run *r, const struct plb_message *m)
{
    for (int i = 0; i < r->data.n; i++) {
        size_t offset, bytes;
        plb_dataset_bytes(&r->data, i, m->range, &offset, &bytes);
        if (plb_data_is_input(&r->data.at[i]))
            plb_mpi_put(r->mpi, m->from, m->slot, (char *)r->data.host[i] + offset, bytes, &r->pulls);
    }
}
