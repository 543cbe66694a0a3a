/* The inside of struct plb_chosen, for its own files alone. */
#ifndef PLB_CORE_GRANT_CHOSEN_INSIDE_H
#define PLB_CORE_GRANT_CHOSEN_INSIDE_H

#include "core/message/message.h"
#include "core/pus/pus.h"
#include "core/work/goal.h"
#include "model/estimate.h"

/* Over the reports of a PU: work, seconds, and their squares and product. */
struct chosen_sums {
    int n;
    double work, seconds, ww, wt, tt;
};

struct chosen_pu {
    double rate;  /* of the last decision; 0: was not known */
    double hoped; /* the same with the hope for a PU that is not known well */
    double now;   /* as of its latest report; 0: there is none */
    struct chosen_sums sums;
    double error; /* relative standard error of the rate; 0: units cost what was told */
    bool known;   /* well enough to be chosen or left out */
};

struct plb_chosen {
    struct plb_goal goal;
    struct plb_pus *all;
    bool by_power;
    bool unknown_cost; /* of the units of the pass */
    struct chosen_pu *pus;
    struct plb_power_pu *speeds;
    double *x, *less, *hoped, *static_watts;
    bool *on;   /* by node: for the account */
    double now; /* sum over the PUs */
    int n_nodes, n_pus, known, known_then;
    bool moved, forced, hopes; /* hopes: some PU was not known well */
    double decided_at;
    double total;                   /* work of the pass; 0 before the first */
    struct plb_goal_account passes; /* those that are over */
    struct plb_watts *watts;        /* NULL: all are told */
    bool turned;                    /* others have their turn */
    bool learned;                   /* no turns, and all PUs had been tried, when a WINDOW came last */
};

/* Whether a PU is left out, and not for the turns of its meter. */
static inline bool plb_chosen_out(const struct plb_chosen *chosen, int pu)
{
    return chosen->all->states[pu] == PLB_PU_LEFT_OUT;
}

/* Looks whether a PU is known by now. */
void plb_chosen_judge(struct plb_chosen *chosen, const struct plb_view *view, int pu);

/* A PU's watts, told or learned; false: neither, and they are 0. */
bool plb_chosen_watts_of(const struct plb_chosen *chosen, int pu, double *idle, double *besides);

/* Adds a report to the sums of a PU. */
void plb_chosen_note(struct chosen_pu *own, const struct plb_sample *sample);

/* Sets the errors of all PUs. */
void plb_chosen_find_errors(struct plb_chosen *chosen, const struct plb_view *view);

/* The rate of a PU: the estimate, but where that is chance. */
double plb_chosen_steady(const struct chosen_pu *own, double estimated);

/* After a choice: a PU that works goes on, too, if it would lower the energy, or energy times delay, as far
 * as its rate and those of the chosen ones may be wrong. */
void plb_chosen_keep_unsure(struct plb_chosen *chosen, const struct plb_view *view);

/* After a decision, while watts are learned: where nobody would work, nobody rests to be measured. */
void plb_chosen_keep_one(struct plb_chosen *chosen, const struct plb_view *view);

/* After a decision: the watts of all that work, once every PU has been tried. */
void plb_chosen_note_watts(struct plb_chosen *chosen);

#endif
