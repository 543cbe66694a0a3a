/* straggler_costs: straggler in several passes, which tells what units cost. */
#define PASSES
#define TOLD
#include "straggler.c"
