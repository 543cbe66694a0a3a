/* The journal: what a run keeps on disk of the units that it has accepted, so that a run that breaks can go
 * on. docs/guide/resume.md tells users. On rank 0 alone. A NULL journal is none: every function then does
 * nothing.
 *
 * Its files. FILE has records: the job, and which units are accepted in which pass. FILE.data has the
 * outputs, each in its place. FILE.pass has what the kernel's `next` has made of the replicated buffers and
 * of the memory that the kernel keeps. FILE.sums has the reduced arrays and the units that are folded into
 * them. FILE.records has the records, in the order in which rank 0 accepted them.
 *
 * Their order. A record is written when what it needs is on disk, and FILE.pass before anything of its pass:
 *
 *     FILE.pass (by rename)  ->  record of the pass  ->  FILE.data, .records  ->  FILE.sums (by rename)  ->
 * record
 *
 * So whatever is torn, the units that count are those whose results can be read. In a job with reduced arrays
 * these are the units of FILE.sums; in any other, those of the records.
 *
 * A thread of its own writes, since a disk may make it wait. The communication thread makes all calls; it
 * hands over what has come together, twice a second. */
#ifndef PLB_JOURNAL_JOURNAL_H
#define PLB_JOURNAL_JOURNAL_H

#include "core/message/message.h"
#include "job/job.h"
#include "journal/resume_mode.h"

struct plb_journal;

/* Before the job is set up: opens the journal that the settings name, and locks it until the process ends.
 * *journal is NULL where no journal is named. PLB_OK; or PLB_EINPUT and a sentence, also where there is a
 * broken run and nobody wants to resume it. */
int plb_journal_open(const struct plb_job *job, enum plb_resume resume, struct plb_journal **journal,
                     struct plb_error *err);

/* When the job is set up: takes room for its outputs. Where the run goes on, compares the job with that of
 * the journal, and brings outputs, replaced buffers, kept memory and the phase of the pass back. PLB_OK; or
 * PLB_EINPUT and a sentence. */
int plb_journal_resume(struct plb_journal *journal, struct plb_job *job, struct plb_error *err);

/* Whether the run that is to go on is complete already, so that nothing is left to do. */
bool plb_journal_is_complete(const struct plb_journal *journal);

/* How such a complete run ended: PLB_OK; or PLB_EFAILED and its sentence, where it did its work and failed
 * all the same (plb_app_failed). PLB_OK where something is left to do. */
int plb_journal_ending(const struct plb_journal *journal, struct plb_error *err);

/* Where a run begins. */
struct plb_journal_start {
    int pass;                            /* the first pass, from 1 */
    const struct plb_rangeset *accepted; /* units of it that are accepted; borrowed; or NULL */
    bool complete;                       /* these are all units of the pass: it is over */
    bool resumed;                        /* a run that broke goes on; else the next ones are 0 */
    int phase;                           /* of that pass */
    int before[PLB_MAX_PHASES];          /* passes that began before it, by phase */
};
struct plb_journal_start plb_journal_start(const struct plb_journal *journal);

/* The units with which that pass begins, for plb_master_config. NULL where it is over: the next one has none
 * of them. Borrowed. */
const struct plb_rangeset *plb_journal_accepted(const struct plb_journal *journal);

/* Brings the reduced arrays back, after they were cleared; in another pass than the first one: nothing. */
void plb_journal_fold(const struct plb_journal *journal, int pass);

/* Before the first pass: the PUs that are going to work. Copied. */
void plb_journal_work(struct plb_journal *journal, const struct plb_pu_info *pus, int n_pus);

/* A pass begins. `replaced`: buffers that `next` has changed, as a mask. */
void plb_journal_begin(struct plb_journal *journal, int pass, int phase, int64_t replaced);

/* A DONE has made units accepted. Its results are in their place before the next plb_journal_step. */
void plb_journal_add(struct plb_journal *journal, const struct plb_message *done);

/* Hands over what has come together, if it is time. To be called often, while no result is half in its
 * place. */
void plb_journal_step(struct plb_journal *journal);

/* When a pass is over: whether the thread still reads buffers. The kernel's `next` changes them, and must
 * wait. A run that has handed over nothing yet does so here, since the job is known by what its buffers have
 * before `next`. So does one of a kernel with `redo`, which may end although units are left. */
bool plb_journal_reads(struct plb_journal *journal);

/* The pass is over, and buffers are going to change: what was not handed over is forgotten. */
void plb_journal_end_pass(struct plb_journal *journal);

/* The run has ended, and the kernel's `finish` may change buffers. save: everything accepted so far is
 * written first, since the run has failed. Returns when no buffer is read any more. */
void plb_journal_rest(struct plb_journal *journal, bool save);

/* Says in the error's sentence how the run can go on, where it can. */
void plb_journal_advise(const struct plb_journal *journal, struct plb_error *err);

/* Results have turned out to be wrong: nothing may go on from them. The journal is removed when it is closed,
 * and the error's sentence says so. */
void plb_journal_distrust(struct plb_journal *journal, struct plb_error *err);

/* Closes the journal and releases it. complete: all results are written; FILE stays and says so. The other
 * files go, unless units failed that --resume-failed can execute again. A journal into which nothing was
 * written leaves no file. */
void plb_journal_close(struct plb_journal *journal, bool complete);

#endif
