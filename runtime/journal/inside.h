/* The inside of struct plb_journal, for the files of this folder. */
#ifndef PLB_JOURNAL_INSIDE_H
#define PLB_JOURNAL_INSIDE_H

#include <pthread.h>

#include "app/stream/forgotten.h"
#include "job/job.h"
#include "journal/files.h"
#include "journal/resume_mode.h"
#include "journal/state.h"

/* Results that are handed over to the thread at once. */
struct plb_batch {
    struct plb_snapshot of; /* journal, pass and phase */
    bool begins;            /* nothing of the pass is on disk yet, not even its begin */
    struct plb_pass_state state;
    struct plb_record_done *done;
    int n, capacity;
    struct plb_record_past *told; /* of passes that ended before they were handed over */
    int n_told, told_capacity;
    struct plb_rangeset units;  /* of `done` */
    struct plb_rangeset folded; /* into `sums`, where the job has reduced arrays */
    char *sums;
};

struct plb_journal {
    struct plb_journal_files files;
    const struct plb_job *job;
    struct plb_dataset set;
    size_t sums_bytes;      /* 0: no array is reduced */
    enum plb_resume resume; /* as the user wants it */

    /* As it was found. */
    bool fresh;    /* nothing that counts: the run begins anew */
    bool goes_on;  /* an earlier run is there, and this one goes on from it */
    bool complete; /* a complete one is there, and the user wants to resume it */
    uint64_t found_id;
    char *found_job;
    char *found_failed;
    size_t found_end;
    int found_pass;
    int first_pass;                  /* with which the run begins */
    int first_phase;                 /* of that pass */
    int before[PLB_MAX_PHASES];      /* passes that began before it, by phase */
    bool over;                       /* all units of that pass are accepted */
    struct plb_rangeset accepted;    /* accepted units of the first pass */
    struct plb_forgotten *forgotten; /* units that failed, and began again: n_forgotten times */
    int n_forgotten;
    bool forgets; /* the last time is of this run */
    char *accepted_sums;

    /* Of the communication thread. */
    struct plb_record_pu *pus;
    int n_pus;
    bool in_pass;
    double handed_at; /* plb_now() of the last batch */
    struct plb_rangeset folded;
    struct plb_batch next;

    /* Of the writing thread while a batch is handed over. */
    struct plb_batch batch;
    char *identity; /* of the job, as text; NULL: FILE has no head yet */
    bool told_pus;  /* FILE has a record of them */
    bool unmarked;  /* FILE.data does not say yet whose it is */
    bool wrong;     /* results turned out to be wrong */
    double sums_s;  /* CPU time of the checksums of outputs */

    /* Of both, under the lock. */
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool started, handed, reading, ends;
    bool broken; /* it cannot be written any more */
};

/* Starts the thread, where it does not run yet. */
void plb_writer_start(struct plb_journal *journal);

/* Hands `next` over, which is empty afterwards. No batch is handed over now. */
void plb_writer_hand_over(struct plb_journal *journal);

/* Whether a batch is handed over; whether buffers are read for it; whether writing has failed. */
bool plb_writer_is_busy(struct plb_journal *journal);
bool plb_writer_reads(struct plb_journal *journal);
bool plb_writer_is_broken(struct plb_journal *journal);

/* Waits until buffers are read no more, or with `all` until the batch is on disk. */
void plb_writer_wait(struct plb_journal *journal, bool all);

/* Ends the thread, after what is handed over. */
void plb_writer_stop(struct plb_journal *journal);

/* Appends what a batch has of passes that are over to FILE. False, and errno, where it cannot. */
bool plb_writer_tell(const struct plb_journal *journal, const struct plb_batch *batch);

#endif
