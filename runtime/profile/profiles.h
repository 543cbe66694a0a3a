/* The profiles of one run: which PUs begin with what an earlier run measured, and what is kept of this
 * one. On rank 0. A NULL pointer stands for `profile = off` everywhere below. */
#ifndef PLB_PROFILE_PROFILES_H
#define PLB_PROFILE_PROFILES_H

#include <stdio.h>

#include "core/master.h"
#include "report/report.h"

struct plb_job;
struct plb_profiles;

/* As [balance] profile says, for the kernel of a job that has been set up and is borrowed; NULL where it
 * says off (of a simulation: does not say otherwise), and, told to whoever wants to hear all, where there
 * is no folder to have. */
struct plb_profiles *plb_profiles_open(const struct plb_job *job, bool simulated, bool verbose);
void plb_profiles_free(struct plb_profiles *profiles);

/* Before the first pass: gives every PU the profile of its key. A damaged one gives a warning. */
void plb_profiles_recall(struct plb_profiles *profiles, struct plb_master *master);

/* Whether every PU has what the balancer cannot do without: `static.source = profile` and no profile for a
 * PU is PLB_EINPUT and a sentence. */
int plb_profiles_require(const struct plb_master_config *config, const struct plb_master *master,
                         struct plb_error *err);

/* After the last pass: takes over what was measured, and counts for the report. */
void plb_profiles_collect(struct plb_profiles *profiles, const struct plb_master *master,
                          struct plb_report *report);

/* Once the run is known to have ended well: writes what is worth it. What cannot be written gives a
 * warning. */
void plb_profiles_save(const struct plb_profiles *profiles);

/* For --profiles: the folder and a line per file. PLB_OK, or PLB_EFAILED and a sentence. */
int plb_profiles_list(FILE *out, struct plb_error *err);

#endif
