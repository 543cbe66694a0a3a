/* The costs of units, as the times of finished tasks tell them: a cost map that corrects the told one.
 *
 * The reports of a pass (core/measure/costs_seen) say where along the units costs differ from what was told,
 * and how far that tells of units nearby. Where neighbours tell nothing, as in a list of unlike commands, and
 * where told costs are right, the map stays as it was told. The next pass begins with what this one has left:
 * the map, and each unit's own time as far as it is no noise.
 *
 * Executed units stay as much work as they were, whatever is learned. So the work of all units together
 * may change, and rates that others have learned stay true. The map changes at most once for each eighth of
 * more reports. Cost: O(1) per report in the mean, and O(buckets) for each change. Not thread-safe. */
#ifndef PLB_CORE_MEASURE_LEARNED_COST_H
#define PLB_CORE_MEASURE_LEARNED_COST_H

#include "core/measure/costs_seen.h"

struct plb_learned_cost;

/* The told map is borrowed. learns = false: the map stays the told one. */
struct plb_learned_cost *plb_learned_cost_new(const struct plb_cost_map *told, int n_pus, bool learns);
void plb_learned_cost_free(struct plb_learned_cost *learned);

/* The map as it is known. Its place stays, its numbers change. */
const struct plb_cost_map *plb_learned_cost_map(const struct plb_learned_cost *learned);

/* A pass begins, with what the one before has taught. Its units are as much work as they are many: returns
 * the factor by which that changes the measure of work. */
double plb_learned_cost_begin(struct plb_learned_cost *learned);

/* Adds a report. Returns whether the map has changed. */
bool plb_learned_cost_add(struct plb_learned_cost *learned, int pu, const struct plb_finished *finished);

/* How unsure the map is of what units about this one cost, which nobody has executed: a relative deviation; 0
 * where nothing was learned. */
double plb_learned_cost_doubt(const struct plb_learned_cost *learned, int64_t unit);

#endif
