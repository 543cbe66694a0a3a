/* straggler_passes: straggler in several passes. */
#define PASSES
#include "straggler.c"
