/* The agenda: which PU is asked next, and what it is told. It holds the balancer, the view that the balancer
 * sees, and the PUs that wait. Part of the master.
 *
 * A PU is asked while it has fewer than PLB_BLOCKS_AHEAD open blocks and units are free. PUs that were told
 * PLB_WAIT stand in a list, and are asked again when the balancer says so (plb/balancer.h). Cost: O(log n)
 * and one question per event, unless the balancer has all that wait asked. Not thread-safe. */
#ifndef PLB_CORE_GRANT_AGENDA_H
#define PLB_CORE_GRANT_AGENDA_H

#include "core/grant/agenda_config.h"

struct plb_agenda;

/* The ledger and the broker are borrowed. */
struct plb_agenda *plb_agenda_new(const struct plb_agenda_config *config, struct plb_ledger *ledger,
                                  struct plb_broker *broker);
void plb_agenda_free(struct plb_agenda *agenda);

/* A pass begins, whose ledger has begun. The first blocks come from plb_agenda_ask_all. */
void plb_agenda_begin(struct plb_agenda *agenda, int pass, int phase, const struct plb_cost_map *map);

/* The numbers of the pass's map have changed, and the ledger has counted again. cost_spread: see plb_view. */
void plb_agenda_recount(struct plb_agenda *agenda, double cost_spread);

/* The ledger has changed `now`, in seconds since the pass began, by a report of PU `pu` or, where that is
 * negative, by a loss: the view follows. Returns whether the report has ended a block that was granted to
 * `pu`. */
bool plb_agenda_follow(struct plb_agenda *agenda, int pu, double now);

/* PU `pu` has reported a sample, which is in its history. Tells the balancer, and asks: this PU, those
 * with other blocks that the report ended, and PUs that wait, where the balancer wants that. Where nothing is
 * left to grant, and the PU's node seems to have no work left, that node is told who has some. */
void plb_agenda_reported(struct plb_agenda *agenda, int pu, const struct plb_sample *sample,
                         struct plb_outbox *out);

/* Tells a node who has work left, with an EMPTY, if somebody has. */
void plb_agenda_name_victims(struct plb_agenda *agenda, int node, struct plb_outbox *out);

/* These PUs are lost: before the ledger frees what they had. */
void plb_agenda_lose(struct plb_agenda *agenda, int first_pu, int n_pus);

/* After plb_agenda_follow: the balancer hears of PUs that are lost since the last call, and of blocks that
 * the latest change of the ledger has ended. */
void plb_agenda_tell_balancer(struct plb_agenda *agenda);

/* PUs have come (plb_pus_add). The balancer begins anew. Others are asked by plb_agenda_ask_all. */
void plb_agenda_join(struct plb_agenda *agenda);

/* A node has come. Where the others know that nothing is left to grant, it hears of it, and who has work.
 * Returns whether they know. */
bool plb_agenda_greet(struct plb_agenda *agenda, int node, struct plb_outbox *out);

/* A pass begins, after plb_agenda_begin: grants the first blocks, or all where the shares stand. */
void plb_agenda_open(struct plb_agenda *agenda, struct plb_outbox *out);

/* When somebody is late in a pass whose shares stand, or when PUs that wait are to be asked again since
 * nothing was heard: in seconds since the pass began; infinite: not before another event. Then
 * plb_agenda_tick has others help. */
double plb_agenda_due(const struct plb_agenda *agenda);
void plb_agenda_tick(struct plb_agenda *agenda, double now, struct plb_outbox *out);

/* Whether they stand; and where they have not moved, so that nobody asks for much, how many seconds after the
 * pass began all PUs should have ended theirs; 0: that is not so. */
bool plb_agenda_stands(const struct plb_agenda *agenda);
double plb_agenda_stands_s(const struct plb_agenda *agenda);
const struct plb_standing_counts *plb_agenda_standing(const struct plb_agenda *agenda);

/* Whether a report of so much work is one of a share that stands, the first one of its size for its PU: it
 * tells little of the PU's rate. Where a profile is all that is known of the PU, it tells more than that. */
bool plb_agenda_is_new(const struct plb_agenda *agenda, int pu, double work);

/* Asks all PUs that can take a block. */
void plb_agenda_ask_all(struct plb_agenda *agenda, struct plb_outbox *out);

/* A WINDOW has come `now`, in seconds since the pass began. Its first PU is number `first` of the run. Others
 * may be chosen then. */
void plb_agenda_metered(struct plb_agenda *agenda, int first, const struct plb_window *window, double now,
                        struct plb_outbox *out);

/* Watts that are learned; NULL: none are. */
const struct plb_watts *plb_agenda_watts(const struct plb_agenda *agenda);

/* Grants a PU that has no open block units that stand apart, in tasks of at most `most` of them. The balancer
 * is not asked; it hears of the report. */
void plb_agenda_entrust(struct plb_agenda *agenda, int pu, struct plb_range range, int64_t most,
                        struct plb_outbox *out);

/* A PU that is left out, or rests, works from now on, since nobody else may execute what stands apart. The
 * balancer begins anew. */
void plb_agenda_call_back(struct plb_agenda *agenda, int pu, struct plb_outbox *out);

/* The joules that leaving PUs out has saved so far, and more of that kind. */
struct plb_goal_account plb_agenda_goal_account(const struct plb_agenda *agenda);

void plb_agenda_ideal(struct plb_agenda *agenda, const struct plb_ideal *ideals);
const char *plb_agenda_failure(const struct plb_agenda *agenda);  /* why the pass cannot end; NULL: it can */
void plb_agenda_fail(struct plb_agenda *agenda, const char *why); /* the first reason stays */
const struct plb_balancer_stats *plb_agenda_stats(const struct plb_agenda *agenda);
int64_t plb_agenda_blocks(const struct plb_agenda *agenda, int pu); /* granted to it in all passes */

/* NULL, or what does not hold between view, list and ledger. O(PUs). */
const char *plb_agenda_check(const struct plb_agenda *agenda);

#endif
