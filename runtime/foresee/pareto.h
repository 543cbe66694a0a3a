/* The front of time and energy of a job (--pareto): what is known of its PUs, and where the front goes. Rank
 * 0, main thread or communication thread, one at a time. A NULL pointer stands for a front that nobody wants.
 *
 * Of a simulation the .cluster file tells times and watts. Of real PUs profiles and this run's measurements
 * tell times, and the .cluster file whose PUs are emulated the watts. Data that crosses links is left out. */
#ifndef PLB_FORESEE_PARETO_H
#define PLB_FORESEE_PARETO_H

#include "config/arguments.h"
#include "job/job.h"
#include "report/front/front.h"
#include "report/report.h"

struct plb_pareto;

/* Whether the file that the arguments name has a known format. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_pareto_check(const struct plb_arguments *arguments, struct plb_error *err);

/* The PUs of a job that is simulated. PLB_OK; or PLB_EINPUT and a sentence where their watts are not known.
 * `pareto` is to be freed in both cases. */
int plb_pareto_of_cluster(const struct plb_job *job, struct plb_pareto **pareto, struct plb_error *err);

/* The same where nobody has asked for it; NULL where some watts are not known. */
struct plb_pareto *plb_pareto_of_given(const struct plb_job *job);

/* The PUs of a real run, before it begins: as above. */
int plb_pareto_of_master(const struct plb_master *master, struct plb_pareto **pareto, struct plb_error *err);

/* The PUs of a run that has ended, with the watts of its report, told or learned. NULL where some are not
 * known. */
struct plb_pareto *plb_pareto_of_report(const struct plb_report *report);

/* Takes what has been measured by now, in profiles and in the run. */
void plb_pareto_learn(struct plb_pareto *pareto, const struct plb_job *job, struct plb_master *master);

/* The same in a dry run, which has only profiles. */
void plb_pareto_load(struct plb_pareto *pareto, const struct plb_job *job, struct plb_master *master);

/* Prints the front, unless all is to be quiet, and writes its file. report: of the run; NULL: there was none.
 * PLB_OK; PLB_EINPUT where too little is known of the PUs, or PLB_EFAILED; and a sentence. */
int plb_pareto_write(const struct plb_pareto *pareto, const struct plb_arguments *arguments,
                     const struct plb_job *job, const struct plb_report *report, FILE *out,
                     struct plb_error *err);

/* The front for the page of a report. False where it is not known, or would take long. `front` is to be freed
 * by plb_front_fini either way; `page` borrows it, and from the others. */
bool plb_pareto_page(const struct plb_pareto *pareto, const struct plb_job *job,
                     const struct plb_report *report, struct plb_front *front, struct plb_front_page *page);

void plb_pareto_free(struct plb_pareto *pareto);

#endif
