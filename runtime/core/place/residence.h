/* Residence: which node has the inputs of which units, beside the ledger of work. Part of the master.
 *
 * Rank 0 has all inputs. A node that has executed units keeps their inputs until the run ends, so in the next
 * pass it should get the same units. The balancer says how much work a PU gets, and the residence which free
 * units those are: first units at home, which this node executed last; then units that no other living node
 * has executed; then some of the node that has the largest part of its own left and so will probably be last.
 * Units of others are taken off the end, so that those nodes keep what hangs together.
 *
 * A pass is seen from the next one on. The bytes that move follow from the nodes alone: each pulls what it
 * lacks, whatever the master believes. Cost: O(log ranges) for a choice, and a look at 64 nodes at
 * most where units of others are taken; O(n log n) in the ranges at the beginning of a pass, O(nodes +
 * ranges) after a loss. Not thread-safe. */
#ifndef PLB_CORE_PLACE_RESIDENCE_H
#define PLB_CORE_PLACE_RESIDENCE_H

#include "core/ledger/ledger.h"
#include "core/place/home_map.h"

struct plb_residence_counts {
    int64_t at_home, away; /* units in grants of passes in which some node had inputs */
    int64_t lost;          /* nodes that were lost with inputs of theirs */
};

struct plb_residence;

/* guesses: before the first pass each node has as many units (plb_homes_guess); else rank 0 has all. */
struct plb_residence *plb_residence_new(int n_nodes, bool guesses);
void plb_residence_free(struct plb_residence *residence);

/* The units that are guessed to be at home on a node before the first pass; count = 0: none are. */
struct plb_range plb_residence_guess(const struct plb_residence *residence, int64_t units, int node);

/* A pass of so many units begins, always as many. least, by node: ranges of fewer units go to the node of a
 * neighbour (plb_homes_merge); NULL: all stay. */
void plb_residence_begin(struct plb_residence *residence, int64_t units, const double *least);

/* A node has executed units, so that it has their inputs. */
void plb_residence_executed(struct plb_residence *residence, int node, struct plb_range range);

/* The first unit of the largest range whose inputs a node has; INT64_MAX: it has none. */
int64_t plb_residence_home(const struct plb_residence *residence, int node);

/* A node is lost, and what it had with it. */
void plb_residence_lose(struct plb_residence *residence, int node);

/* Free units for a PU of this node: about so much work, and at least a unit. The caller grants them before it
 * asks again. The front of the ledger where no node but rank 0 has inputs; count = 0: nothing is free. */
struct plb_range plb_residence_choose(struct plb_residence *residence, const struct plb_ledger *ledger,
                                      int node, double work);

/* Whether a node other than rank 0 has inputs, as the pass began. */
bool plb_residence_any(const struct plb_residence *residence);

/* The node at which the inputs of a unit are believed to be; 0 where no other one has them. */
int plb_residence_of(const struct plb_residence *residence, int64_t unit);

const struct plb_residence_counts *plb_residence_counts(const struct plb_residence *residence);

#endif
