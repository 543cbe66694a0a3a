/* A balancer's policy by itself: a view of two PUs written by hand, with no master and no clock. */
#ifndef TEST_POLICY_H
#define TEST_POLICY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "core/measure/history.h"
#include "params.h"
#include "job/balancer_table.h"

#define PUS 2

/* Two PUs of a made-up speed and what a master would keep of them. */
struct fixture {
    const struct plb_balancer *balancer;
    struct plb_param params[MAX_PARAMS];
    struct plb_pu pus[PUS];
    struct plb_history histories[PUS];
    struct plb_balancer_stats stats;
    struct plb_view view;
    double transfer_s; /* in the reports of `finish` */
    void *state;
};

static inline void set(struct fixture *f, const char *name, double value)
{
    for (int i = 0; i < MAX_PARAMS && f->params[i].name != NULL; i++)
        if (strcmp(f->params[i].name, name) == 0)
            f->params[i].value = value;
}

static inline void start(struct fixture *f, const char *name, double total, double initial_block)
{
    struct plb_error err = {.status = PLB_OK};
    memset(f, 0, sizeof *f);
    f->balancer = plb_balancer_find(name, "test", &err);
    assert_non_null(f->balancer);
    default_params(f->balancer, f->params);
    if (initial_block > 0.0)
        set(f, "initial_block", initial_block);
    f->view = (struct plb_view){.total = total,
                                .remaining = total,
                                .next = 1.0,
                                .units = (int64_t)total,
                                .n_pus = PUS,
                                .living = PUS,
                                .idle = PUS,
                                .pus = f->pus,
                                .stats = &f->stats};
    for (int p = 0; p < PUS; p++)
        f->pus[p] = (struct plb_pu){.power = 1.0, .name = "p", .grain = INFINITY};
    for (int p = 0; p < PUS && f->balancer->beliefs; p++) {
        plb_belief_prior(&f->histories[p].belief, 1.0, 0.0);
        f->pus[p].belief = &f->histories[p].belief;
    }
    f->state = f->balancer->init(&f->view, f->params);
}

static inline void stop(struct fixture *f)
{
    f->balancer->fini(f->state);
    for (int p = 0; p < PUS; p++)
        plb_history_fini(&f->histories[p]);
}

/* Adds a report to what the PU is known by, as the master does. */
static inline void report(struct fixture *f, int p, const struct plb_sample *sample)
{
    struct plb_history *h = &f->histories[p];
    plb_history_add(h, sample);
    f->pus[p].samples = h->at;
    f->pus[p].n_samples = h->n;
    f->pus[p].from_profile = h->from_profile;
    if (f->balancer->beliefs)
        plb_history_fit(h);
}

/* PU p does something else from now on, where `began`, or has more or less to do. */
static inline void expect(struct fixture *f, int p, bool began)
{
    struct plb_pu *pu = &f->pus[p];
    if (began)
        pu->begun = f->view.now;
    if (f->balancer->beliefs)
        pu->end = pu->begun + plb_model_time(&pu->belief->model, pu->granted - pu->done);
}

/* 0 where the PU is told to wait. */
static inline double grant(struct fixture *f, int p)
{
    double work = f->balancer->grant(f->state, &f->view, p);
    if (work > 0.0) {
        f->view.idle -= f->pus[p].outstanding == 0;
        f->pus[p].outstanding++;
        f->pus[p].granted += work;
        f->view.remaining -= work;
        expect(f, p, f->pus[p].outstanding == 1);
    }
    return fmax(work, 0.0);
}

/* PU p finishes a block of this work in these seconds, at this time. */
static inline void finish(struct fixture *f, int p, double work, double seconds, double now)
{
    struct plb_sample sample = {work, seconds, f->transfer_s, 1, now, true};
    report(f, p, &sample);
    f->view.now = now;
    f->pus[p].outstanding--;
    f->view.idle += f->pus[p].outstanding == 0;
    f->pus[p].done += work;
    expect(f, p, true);
    f->balancer->done(f->state, &f->view, p, &sample);
}

/* PU p, which is idle, is lost. */
static inline void lose(struct fixture *f, int p)
{
    f->pus[p].lost = true;
    f->view.living--;
    f->view.idle--;
    f->balancer->lost(f->state, &f->view, p);
}

static inline void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-6 * fabs(expected)))
        fail_msg("got %.9g, expected %.9g", got, expected);
}

#endif
