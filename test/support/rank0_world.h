/* Rank 0 with neither MPI nor a node, in a pass of the master's fixture. */
#ifndef TEST_RANK0_WORLD_H
#define TEST_RANK0_WORLD_H

#include "master_fixture.h"

#include "rank0/rank0.h"

#define UNITS 8

static const struct plb_kernel kernel = {.name = "k", PLB_KERNEL_HEAD, .unit = "units"};

struct world {
    struct fixture f;
    struct plb_job job;
    struct plb_trace trace;
    struct plb_rank0 rank0;
    struct plb_cluster_options options;
    struct plb_error err;
    struct plb_rank r;
};

/* Rank 0 of the fixture's pass. */
static inline void plug_in(struct world *w)
{
    int n = w->f.nodes;
    w->job.kernel = w->job.app.kernel = &kernel;
    w->job.run.limit_s = INFINITY;
    plb_rank0_init(&w->rank0, &w->job, &w->trace, n, n, true);
    w->rank0.master = w->f.master;
    w->rank0.pus = w->f.pus;
    w->rank0.n_pus = n;
    w->rank0.in_pass = true;
    w->rank0.incoming = plb_incoming_new(&w->r.data, &(struct plb_incoming_calls){0}, NULL);
    w->r.data.units = UNITS;
    w->r.kernel = &kernel;
    w->r.options = &w->options;
    w->r.size = n;
    w->r.pass = w->f.pass;
    w->r.rank0 = &w->rank0;
    w->r.err = &w->err;
    for (int i = 0; i < n; i++)
        snprintf(w->f.pus[i].name, sizeof w->f.pus[i].name, "pu%d", i);
}

/* A pass of two nodes with a PU each: both hold blocks of several units. */
static inline void set_up(struct world *w)
{
    memset(w, 0, sizeof *w);
    start(&w->f, "greedy", 2.0, 2, UNITS, NULL);
    plug_in(w);
}

static inline void tear_down(struct world *w)
{
    w->rank0.master = NULL; /* the fixture's */
    w->rank0.pus = NULL;
    plb_rank0_fini(&w->rank0);
    plb_outbox_fini(&w->r.out);
    stop(&w->f);
}

#endif
