/* The front of time and energy as people read it, with the point of the run beside it. */
#ifndef PLB_REPORT_FRONT_FRONT_H
#define PLB_REPORT_FRONT_FRONT_H

#include <stdio.h>

#include "base/name.h"
#include "model/energy/front.h"

struct plb_front_pu {
    char name[PLB_NAME];
    int node;
    double run_share; /* of the work, in the run */
};

/* Everything is borrowed. */
struct plb_front_page {
    const char *app, *by; /* by: what the times of PUs come from, such as "profiles" */
    const char *rule;     /* [energy] static */
    const struct plb_front *front;
    const struct plb_front_pu *pus; /* n_pus of them */
    int n_pus, passes;
    double work;                    /* of a pass */
    double run_seconds, run_joules; /* NAN: there was no run */
};

/* A row for each of the front, and one for the run. */
void plb_front_print(const struct plb_front_page *page, FILE *out);

/* "least time", "least EDP", "least energy": those that row `row` has. Returns how many. */
int plb_front_marks(const struct plb_front *front, int row, const char *marks[3]);

#endif
