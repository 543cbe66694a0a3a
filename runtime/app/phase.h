/* The phases of a kernel. A kernel with a single entry counts as a kernel with one phase. Pure functions. */
#ifndef PLB_APP_PHASE_H
#define PLB_APP_PHASE_H

#include "base/error.h"
#include "plb/kernel.h"

#define PLB_MAX_PHASES 32 /* of a kernel; arrays by phase have this length */

/* The number of phases, at least 1. It can exceed PLB_MAX_PHASES only before plb_phase_check. */
int plb_phase_count(const struct plb_kernel *kernel);

/* The phase with this index, which is below the count. */
struct plb_phase plb_phase_at(const struct plb_kernel *kernel, int phase);

/* The subject of a sentence about a phase: "kernel NAME", or "kernel NAME, phase PHASE," where the kernel has
 * several. Returns `text`. */
#define PLB_PHASE_TITLE 160
const char *plb_phase_title(const struct plb_kernel *kernel, int phase, char text[PLB_PHASE_TITLE]);

/* Checks that every phase has an entry to run, and that a kernel with phases has no entries of its own.
 * elsewhere: entries may be in an object that was not loaded here. PLB_OK, or PLB_EINPUT and a sentence that
 * begins with `path`. */
int plb_phase_check(const struct plb_kernel *kernel, const char *path, bool elsewhere, struct plb_error *err);

#endif
