/* A run without losses, and what tests of losses and of advice ask of it. */
#ifndef REPORT_LOSSES_H
#define REPORT_LOSSES_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/losses.h"
#include "report/summary/advice.h"
#include "report/summary/summary.h"
#include "report/summary/verdict.h"

#define NAMED(r, kind) ((r)->losses[kind].seconds)

static inline void near(double got, double expected)
{
    if (!(fabs(got - expected) <= 1e-9))
        fail_msg("got %.12g, expected %.12g", got, expected);
}

/* A run of 10 s of two nodes, with PUs that did nothing but compute for 10 s: 0 and 1 on node 0, 2 on node 1,
 * which is twice as fast. */
static inline struct plb_report perfect(struct plb_report_pu pus[3])
{
    memset(pus, 0, 3 * sizeof *pus);
    for (int p = 0; p < 3; p++) {
        pus[p] = (struct plb_report_pu){.id = p, .node = p / 2, .busy_s = 10.0, .units = 100, .work = 100.0};
        snprintf(pus[p].name, sizeof pus[p].name, "p%d", p);
    }
    pus[2].units = 200;
    pus[2].work = 200.0;
    return (struct plb_report){.app = "x",
                               .unit = "rows",
                               .balancer = "sure",
                               .nodes = 2,
                               .passes = 1,
                               .n_pus = 3,
                               .units = 400,
                               .makespan_s = 10.0,
                               .bound_s = 10.0,
                               .pus = pus};
}

static inline void account(struct plb_report *r)
{
    double sum = 0.0;
    plb_losses_account(r);
    plb_advice_find(r);
    for (int i = 0; i < PLB_LOSSES; i++)
        sum += r->losses[i].seconds;
    near(r->ideal_s + sum, r->makespan_s);
    near(r->parallel_efficiency, r->load_balance * r->communication_efficiency);
    near(r->parallel_efficiency, r->ideal_s / r->makespan_s);
}

/* The text that a function writes. */
static inline const char *text_of(void (*print)(const struct plb_report *, FILE *),
                                  const struct plb_report *r)
{
    static char text[1000];
    memset(text, 0, sizeof text);
    FILE *out = fmemopen(text, sizeof text, "w");
    print(r, out);
    fclose(out);
    return text;
}

#endif
