/* The settings of the agenda. */
#ifndef PLB_CORE_GRANT_AGENDA_CONFIG_H
#define PLB_CORE_GRANT_AGENDA_CONFIG_H

#include "core/grant/balancer_view.h"
#include "core/grant/broker.h"
#include "core/pus/pus.h"
#include "core/place/residence.h"
#include "core/work/goal.h"

/* Passes whose shares stood, and why they did so no more before their end. */
struct plb_standing_counts {
    int64_t passes, late, freed, joined;
};

struct plb_agenda_config {
    const struct plb_balancer *balancer;
    const struct plb_param *params; /* borrowed */
    struct plb_pus *pus;            /* borrowed; the agenda says who is served, left out or lost */
    struct plb_view_facts facts;    /* about them */
    struct plb_history *histories;  /* borrowed: n_phases of each PU, PU by PU */
    int n_phases;
    bool migration;                  /* nodes are told when nothing is left to grant */
    double task_s;                   /* seconds of a task of a large block at most */
    bool backups;                    /* idle PUs execute late units a second time */
    bool saves;                      /* large blocks are several tasks also where nobody can take them */
    struct plb_residence *residence; /* borrowed; PUs get units whose inputs are near. NULL: any */
    struct plb_goal goal;            /* who works */
};

#endif
