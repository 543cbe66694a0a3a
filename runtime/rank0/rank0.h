/* Rank 0's side of the messages: HELLO, results, inputs for other nodes, failures, the begin and the end of
 * passes and of the run. Communication thread only. */
#ifndef PLB_RANK0_RANK0_H
#define PLB_RANK0_RANK0_H

#include "core/master.h"
#include "every_rank/rank.h"
#include "job/job.h"
#include "membership/difference.h"
#include "membership/watchdog.h"
#include "rank0/early_end.h"
#include "rank0/failure_text.h"
#include "rank0/rank0_fetch.h"
#include "rank0/incoming.h"
#include "rank0/parting.h"
#include "rank0/rank0_redo.h"
#include "report/progress/progress.h"
#include "report/report.h"
#include "report/trace.h"

struct plb_arrivals;

/* Rank 0 keeps this beside struct plb_rank. */
struct plb_rank0 {
    struct plb_job *job;
    struct plb_trace *trace;
    struct plb_pu_info *pus;              /* from HELLO */
    int n_pus, expected;                  /* so far, and when all have said HELLO */
    char difference[PLB_DIFFERENCE_TEXT]; /* a sentence: a rank runs another plbrun or kernel than this one;
                                             "" = none does */
    char lost[PLB_FAILURE_TEXT]; /* a sentence without its end: the device that failed last; "" = none has */
    struct plb_master *master;   /* NULL until all have said HELLO */
    struct plb_incoming *incoming; /* as the master */
    struct plb_fetching fetching;
    struct plb_redo redo;
    struct plb_progress progress;
    bool in_pass;
    double pass_began, makespan, solve; /* seconds of the run's clock */
    double thought;                     /* what the master took to begin this pass */
    double collect;                     /* of the makespan: results that stayed at ranks were fetched */
    double began, between; /* begin of the first pass; what no pass has, from there to the end of the run */
    int repairs;           /* passes that made lost results again: the kernel counts none of them */
    struct plb_report_phase times[PLB_MAX_PHASES];
    struct plb_early_end early_end;
    bool interrupted; /* the run's error is that somebody wanted it to end */
    struct plb_watchdog watchdog;
    struct plb_parting *partings;    /* by rank */
    struct plb_report_meter *meters; /* that ranks have told of */
    int n_meters;
    struct plb_rangeset done;      /* units accepted in the pass, where they are to be kept */
    struct plb_arrivals *arrivals; /* ranks that join; NULL: none may */
    int64_t damaged;               /* transfers of inputs and results whose checksum was wrong */
};

/* Makes room for ranks that may join, and tells them where. Sets r->err where that fails. */
void plb_rank0_open(struct plb_rank *r, struct plb_job *job, struct plb_trace *trace);

/* n_ranks: with those that may join, `started` without. */
void plb_rank0_init(struct plb_rank0 *rank0, struct plb_job *job, struct plb_trace *trace, int n_ranks,
                    int started, enum plb_progress_style progress);
void plb_rank0_fini(struct plb_rank0 *rank0);

/* The one receiver of messages to rank 0 that are not for its node. A message without sense is dropped.
 * Messages of rank 0's own go to r->out. */
void plb_rank0_receive(struct plb_rank *r, const struct plb_message *message);

/* A signal asks the program to end, or an end on request is over (rank0/early_end.h): the run stops. */
void plb_rank0_interrupt(struct plb_rank *r);

/* Begins with the first pass, or where an earlier run broke: perhaps at the end of a pass. */
void plb_rank0_begin_first_pass(struct plb_rank *r);

/* Ends the pass where all units are accepted, and nothing may read what `next` is going to change. */
void plb_rank0_end_pass_if_over(struct plb_rank *r);

/* The pass is over, and what was asked for is here: does the kernel want another one? */
void plb_rank0_look_further(struct plb_rank *r);

/* The master was busy since `before`: keeps that time where it has solved more often than `solves`. */
void plb_rank0_note_solves(struct plb_rank *r, int pass, int64_t solves, double before);

/* A pass has begun on all ranks: its time counts from here on, with what the master took to begin it. */
void plb_rank0_pass_begins(struct plb_rank *r);

/* Accepts the results that have arrived, and shows the progress. True where there were any. */
bool plb_rank0_collect(struct plb_rank *r);

/* Has the master do what is due by now, and looks whether the run is to end. */
void plb_rank0_tick(struct plb_rank *r);

/* Seconds until something is due; infinite: nothing before another message. */
double plb_rank0_due(const struct plb_rank *r);

/* Whether the run needs rank 0 still: another rank may ask for something, or something is on its way. */
bool plb_rank0_is_needed(const struct plb_rank *r);

/* A rank is lost: its units are free for others. */
void plb_rank0_lose(struct plb_rank *r, int rank);

/* Ends the run where records cannot be kept. */
void plb_rank0_check_records(struct plb_rank *r);

/* A PU's device has failed, or a kernel has (FAIL). */
void plb_rank0_failed(struct plb_rank *r, const struct plb_message *message);

/* Tells every node, rank 0's own included, that the run is over. */
void plb_rank0_end(struct plb_rank *r, int status);

/* Ends the run with status 1, for this reason. */
void plb_rank0_stop_by(struct plb_rank *r, const char *why);

/* The master can find at any event that there is no way on. True where it has: the run ends. Where the last
 * PU has failed, that is the reason. */
bool plb_rank0_stop_on_failure(struct plb_rank *r);

/* Lets ranks in that come to join, and forgets those that went before they had joined. */
void plb_rank0_let_in(struct plb_rank *r);

/* A HELLO of one of them. After the last one the master knows it. */
void plb_rank0_hear_arrival(struct plb_rank *r, const struct plb_message *hello);

/* A pass begins, with these replaced buffers: those that were told others lack them. */
void plb_rank0_arrivals_lack(struct plb_rank *r, int64_t replaced);

/* Whether one is still told the data. One that takes too long is given up. */
bool plb_rank0_arrivals_read(struct plb_rank *r);

/* Begins a pass whose buffers are ready. again: it is repeated, so that reduced arrays are dropped. */
void plb_rank0_start_pass(struct plb_rank *r, const struct plb_pass *begin, bool again);

/* The number that the pass has for the kernel, from 1. A pass that is repeated has that of the first time. */
static inline int plb_rank0_kernel_pass(const struct plb_rank *r)
{
    return r->pass - r->rank0->repairs;
}

/* Whether PUs of rank 0 still execute what nobody wants, or data is sent, or the journal is written, and they
 * may read what `next` or a feed is going to change. */
bool plb_rank0_must_wait(struct plb_rank *r);

/* Nobody may join any more. */
void plb_rank0_close_door(struct plb_rank *r);
void plb_rank0_free_arrivals(struct plb_arrivals *arrivals); /* NULL: nothing */

#endif
