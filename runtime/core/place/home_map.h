/* A map of all units, in ranges, to the nodes that should execute them. Pure functions; thread-safe. */
#ifndef PLB_CORE_PLACE_HOME_MAP_H
#define PLB_CORE_PLACE_HOME_MAP_H

#include "base/rangeset.h"

/* Units that are at home on a node: as a rule it has their inputs. */
struct plb_home {
    struct plb_range range;
    int32_t node;
};

static inline int64_t plb_homes_guess_first(int64_t units, int node, int n_nodes)
{
    return units / n_nodes * node + units % n_nodes * node / n_nodes;
}

/* The units that a node is guessed to execute before anything is known: all nodes get as many. */
static inline struct plb_range plb_homes_guess(int64_t units, int node, int n_nodes)
{
    int64_t first = plb_homes_guess_first(units, node, n_nodes);
    return (struct plb_range){first, plb_homes_guess_first(units, node + 1, n_nodes) - first};
}

/* Adds a range behind the n others, to the last one where it goes on at the same node. Returns how many there
 * are then. */
int plb_homes_append(struct plb_home *at, int n, int64_t first, int64_t end, int32_t node);

/* Lays what was seen, in no order, over a map, and writes the new one, which has at most n + 2 n_seen ranges.
 * Of two nodes that were seen with a unit, one has it. Sorts `seen`. Returns how many ranges there are. */
int plb_homes_lay(const struct plb_home *map, int n, struct plb_home *seen, int n_seen,
                  struct plb_home *into);

/* Gives each range of fewer than least[node] units to the node of its larger neighbour: a task of its own
 * would be mostly a start. A node keeps its largest range. Returns how many ranges are left. */
int plb_homes_merge(struct plb_home *map, int n, const double *least, int n_nodes);

#endif
