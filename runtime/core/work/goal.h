/* The goal of a run, as set by the user. */
#ifndef PLB_CORE_WORK_GOAL_H
#define PLB_CORE_WORK_GOAL_H

#include "model/energy/power_job.h"

/* A zeroed struct is least time, where all PUs work. */
struct plb_goal {
    enum plb_objective objective;
    enum plb_static_rule rule;
    double deadline_s; /* of each pass; 0: none */
    double power_cap;  /* watts; 0: none */
};

/* The account of it, by the rates that were learned and the watts that were told, in the passes that began.
 * Zeros where all PUs work. */
struct plb_goal_account {
    double saved_j;        /* joules that leaving PUs out saved; NAN: the rate of a PU is not known */
    double longer_s;       /* seconds by which it made the run longer; NAN: as before */
    double most_watts;     /* that PUs which were not left out draw, once all were tried; 0: never */
    double learning_watts; /* that meters showed at most while watts were learned; 0: they were told */
};

#endif
