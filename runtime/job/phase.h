/* The phases of a kernel: the same for one that lists them and for one that has a single entry.
 * Pure functions. */
#ifndef PLB_JOB_PHASE_H
#define PLB_JOB_PHASE_H

#include "base/error.h"
#include "plb/kernel.h"

#define PLB_MAX_PHASES 32

/* How many there are, at least 1; more than PLB_MAX_PHASES only before plb_phase_check. */
int plb_phase_count(const struct plb_kernel *kernel);

/* The phase with this index, which is within the count. */
struct plb_phase plb_phase_at(const struct plb_kernel *kernel, int phase);

/* The subject of a sentence about a phase: "kernel NAME", or "kernel NAME, phase PHASE," where there
 * are several. Returns `text`. */
#define PLB_PHASE_TITLE 160
const char *plb_phase_title(const struct plb_kernel *kernel, int phase, char text[PLB_PHASE_TITLE]);

/* PLB_OK, or PLB_EINPUT and a sentence, prefixed with `path`, where a phase has nothing to run (and its entries
 * are not elsewhere, in an object that was not loaded) or the
 * kernel has both phases and entries. */
int plb_phase_check(const struct plb_kernel *kernel, const char *path, bool elsewhere, struct plb_error *err);

#endif
