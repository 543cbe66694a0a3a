/* Watts of PUs, learned from WINDOWs while the run goes on. Part of the agenda: core/grant/selection goes by
 * them.
 *
 * A domain is what one meter measures: a GPU, or the processors of a host with all PUs on them. Its PUs that
 * are alike draw the same watts while they work. Least squares over windows tell idle and busy watts apart
 * (model/energy/power_fit.h), where windows differ in who works. So PUs begin by turns: at first none of a
 * domain works, then those of the first kind, then those of the second alone, and so on, a window each. One
 * domain begins at once, and rests at the end, so that somebody works at any time. Where a meter counts
 * nothing, its PUs are unmeasured: they count as if they drew nothing, and so work as they would for least
 * time.
 *
 * Watts are those of the whole run: they are not learned anew where another phase draws others. A rank's
 * windows count with those of the other ranks of its host for the same time; where one is missing, so does
 * the window. PUs that join have their turns when they come.
 *
 * Cost: O(kinds³) for a window. Not thread-safe. */
#ifndef PLB_CORE_MEASURE_WATTS_H
#define PLB_CORE_MEASURE_WATTS_H

#include "core/message/message.h"
#include "core/pus/pus.h"

/* Relative change of watts, or of a rate, that asks for a new choice of PUs. Larger: a choice is older.
 * Smaller: noise asks. */
#define PLB_NEW_CHOICE 0.05

enum plb_watts_origin { PLB_WATTS_TOLD, PLB_WATTS_MEASURED, PLB_WATTS_UNMEASURED };

struct plb_watts;

/* For these PUs; borrowed. NULL: the watts of all are told. turns: PUs begin one after the other; else all at
 * once, and only their sums are learned. */
struct plb_watts *plb_watts_new(const struct plb_pus *pus, bool turns);
void plb_watts_free(struct plb_watts *watts);

/* Whether a meter measures a PU of these, so that its watts can be learned. O(PUs). */
bool plb_watts_metered(const struct plb_pu_info *infos, int n, int pu);

/* A PU is lost, with what its meter would have told. */
void plb_watts_lost(struct plb_watts *watts);

/* PUs have come: the others of their domain rest while they have their turn, but where the watts of PUs like
 * them are known. */
void plb_watts_joined(struct plb_watts *watts, double now);

/* The watts that all meters together showed in their latest windows; whether there are turns still. */
double plb_watts_shown(const struct plb_watts *watts);
bool plb_watts_turning(const struct plb_watts *watts);

/* A pass begins; with the first one the turns do. Returns whether some PUs rest. Times are those of the pass.
 */
bool plb_watts_pass(struct plb_watts *watts);

/* A WINDOW of a node whose first PU in it is number `first` has come. Returns whether watts are known better,
 * or other PUs have their turn. */
bool plb_watts_heard(struct plb_watts *watts, int first, const struct plb_window *window, double now);

/* Gives up meters that tell nothing while their PUs rest. True where there were some. */
bool plb_watts_late(struct plb_watts *watts, double now);

/* Nobody rests any more. */
void plb_watts_release(struct plb_watts *watts);

/* The work that a block may have, of a PU of this rate, 0: not known: while some PUs rest it is short. */
double plb_watts_most(const struct plb_watts *watts, const struct plb_view *view, double rate, double work);

/* Whether a PU rests still. */
bool plb_watts_rests(const struct plb_watts *watts, int pu);

/* Whether one can go by the watts of a PU: they are known, or will not be. */
bool plb_watts_settled(const struct plb_watts *watts, int pu);

/* A PU's watts all the time, its part of those of its domain, and those besides while it works; 0 where they
 * are not known. May be asked before all turns are over. */
enum plb_watts_origin plb_watts_of(const struct plb_watts *watts, int pu, double *idle, double *besides);

#endif
