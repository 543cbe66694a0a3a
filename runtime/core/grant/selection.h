/* Which PUs work, for least energy, least energy times delay, or under a cap of power. Part of the agenda,
 * which treats the others as gone for the time being: so every balancer works unchanged.
 *
 * PUs train first. Each time more of them are known, and when their rates have moved, model/energy/objective
 * says which of the known ones are best for the work that is left. With a deadline one PU may be needed in
 * part: it works until the others can end in time without it. A PU that is left out comes back where that
 * gains more than it costs to begin anew, or where a chosen one is lost.
 *
 * Where watts are not told, PUs begin by turns, and their watts are learned (core/measure/watts.h). A PU
 * whose watts cannot be learned works; under a cap it does not, where another one does.
 *
 * Rates are those of the PUs' estimates, beyond what starts cost, so models are straight lines. A PU is
 * judged once it has worked for long enough beyond its starts. If unit costs are unknown, all
 * reports tell how far a rate may be off, and a PU is tried with further units as long as that is worth it.
 * Cost: O(1) per report; a decision, O(n log n), at most every fiftieth of the time that has passed. Weak
 * where rates depend on the size of blocks, and where training is a large part of the job. Not thread-safe.
 */
#ifndef PLB_CORE_GRANT_SELECTION_H
#define PLB_CORE_GRANT_SELECTION_H

#include "core/measure/watts.h"
#include "core/message/message.h"
#include "core/pus/pus.h"
#include "core/work/goal.h"
#include "model/energy/objective.h"

struct plb_selection;

/* NULL where all PUs work in any case. The PUs are borrowed. by_power: rates are their given powers, and
 * nothing is measured. */
struct plb_selection *plb_selection_new(const struct plb_goal *goal, struct plb_pus *pus, int n_nodes,
                                        bool by_power);
void plb_selection_free(struct plb_selection *chosen);

/* A pass is over: nobody is left out until the next decision. */
void plb_selection_readmit(struct plb_selection *chosen);

/* A PU that is left out, or rests, works until the pass ends: nobody else may execute some units. */
void plb_selection_need(struct plb_selection *chosen, int pu);

/* A pass begins. unknown_cost: its units may cost unlike amounts. Then
 * a PU is left out once it is surely expensive. */
void plb_selection_begin(struct plb_selection *chosen, const struct plb_view *view, bool unknown_cost);

/* PU `pu` has a new sample; is about to become lost; some have come. */
void plb_selection_reported(struct plb_selection *chosen, const struct plb_view *view, int pu);
void plb_selection_lost(struct plb_selection *chosen, int pu);
void plb_selection_joined(struct plb_selection *chosen, const struct plb_view *view);

/* A WINDOW has come, whose first PU is number `first`. */
void plb_selection_metered(struct plb_selection *chosen, const struct plb_view *view, int first,
                           const struct plb_window *window);

/* The watts that are learned; NULL: all are told. */
const struct plb_watts *plb_selection_watts(const struct plb_selection *chosen);

/* Whether a PU gets no further block yet: it is tried with one unit after the other. */
bool plb_selection_has_enough(const struct plb_selection *chosen, const struct plb_view *view, int pu);

/* The part of a block that a PU may get: all of it, but while others wait for their turn, and while units of
 * unknown costs leave open how quick it is. */
double plb_selection_most(const struct plb_selection *chosen, const struct plb_view *view, int pu,
                          double work);

/* Whether it is time to decide. */
bool plb_selection_due(struct plb_selection *chosen, const struct plb_view *view);

/* Decides who works on so much work: others are left out, or rest, from now on. */
void plb_selection_decide(struct plb_selection *chosen, const struct plb_view *view, double left);

/* Work per second, as of the last decision; 0: not known. */
double plb_selection_rate(const struct plb_selection *chosen, int pu);

/* Of the passes so far; the one that runs counts in full. */
struct plb_goal_account plb_selection_account(const struct plb_selection *chosen);

#endif
