/* The inside of struct plb_selection, for its own files alone. */
#ifndef PLB_CORE_GRANT_SELECTION_INSIDE_H
#define PLB_CORE_GRANT_SELECTION_INSIDE_H

#include "core/message/message.h"
#include "core/pus/pus.h"
#include "core/work/goal.h"
#include "model/estimate.h"

/* Classes of a PU's reports, by their work: each class has twice that of the one before. More: reports of
 * many units are told apart, which all tell the rate well. */
#define CHOSEN_SIZES 12

/* Reports of one class: the logarithms of their rates. */
struct selection_reports {
    int n;
    double work, logs, squares;
};

struct selection_pu {
    double rate;  /* of the last decision; 0: was not known */
    double hoped; /* the same with the hope for a PU that is not known well */
    double now;   /* as of its latest report; 0: there is none */
    struct selection_reports reports[CHOSEN_SIZES];
    int n_reports;
    double work;   /* of these */
    double steady; /* the logarithm of the rate by all reports */
    double error;  /* standard error of its logarithm; 0: units are alike, or so many that it is no chance */
    bool known;    /* well enough to be chosen or left out */
    bool tried;    /* it works to be known better, and is not among the best */
    bool needed;   /* nobody else may execute some units of this pass */
};

struct plb_selection {
    struct plb_goal goal;
    struct plb_pus *all;
    bool by_power;
    bool unknown_cost; /* of the units of the pass */
    double unlike;     /* then, the variance of a unit's cost, of which the mean is 1 */
    struct selection_pu *pus;
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
static inline bool plb_selection_out(const struct plb_selection *chosen, int pu)
{
    return chosen->all->states[pu] == PLB_PU_LEFT_OUT;
}

/* Looks whether a PU is known by now. */
void plb_selection_judge(struct plb_selection *chosen, const struct plb_view *view, int pu);

/* A PU's watts, told or learned; false: neither, and they are 0. */
bool plb_selection_watts_of(const struct plb_selection *chosen, int pu, double *idle, double *besides);

/* Adds a report to those of a PU, whose tasks take so many seconds to start. */
void plb_selection_note(struct selection_pu *own, const struct plb_sample *sample, double start_s);

/* Sets the errors of all PUs. */
void plb_selection_find_errors(struct plb_selection *chosen, const struct plb_view *view);

/* The rate of a PU: the estimate, but where that is chance. */
double plb_selection_steady(const struct selection_pu *own, double estimated);

/* After a choice for so much work: a PU that is not among the best is tried with another unit where that is
 * worth it. */
void plb_selection_keep_tried(struct plb_selection *chosen, const struct plb_view *view, double left);

/* The part of a block that a PU may get which is not known well: a unit, or as much as it has done. */
double plb_selection_unsure_most(const struct plb_selection *chosen, const struct plb_view *view, int pu,
                                 double work);

/* Whether a PU has worked for long enough to be judged, or need not work for that. */
bool plb_selection_has_worked(const struct plb_selection *chosen, const struct plb_view *view, int pu);

/* By how much of its rate a PU may be faster than it seems. */
double plb_selection_hope(const struct plb_selection *chosen, const struct plb_view *view, int pu);

/* The part of a block that a PU may get until all are known. */
double plb_selection_untrained_most(const struct plb_selection *chosen, const struct plb_view *view, int pu,
                                    double work);

/* After a decision, while watts are learned: where nobody would work, nobody rests to be measured. */
void plb_selection_keep_one(struct plb_selection *chosen, const struct plb_view *view);

/* After a decision: the watts of all that work, once every PU has been tried. */
void plb_selection_note_watts(struct plb_selection *chosen);

#endif
