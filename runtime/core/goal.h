/* The goal of a run, as set by the user. */
#ifndef PLB_CORE_GOAL_H
#define PLB_CORE_GOAL_H

#include "model/power_job.h"

/* A zeroed struct is least time, where all PUs work. */
struct plb_goal {
    enum plb_objective objective;
    enum plb_static_rule rule;
    double deadline_s; /* of each pass; 0: none */
    double power_cap;  /* watts; 0: none */
};

#endif
