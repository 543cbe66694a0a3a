/* Times compared, and sentences. */
#include "rank0/early_end.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/stop.h"
#include "membership/launch.h"

/* Before a batch job ends, a run needs the grace time twice: for its tasks, and to write. Larger: more of the
 * job's time is not used. Smaller: large outputs are not written before the job is killed. */
#define GRACES 2.0

/* Of the time that the batch job has left when plbrun starts: the most that is kept for that. Larger: a short
 * job computes for less of its time. Smaller: it has less time to write. */
#define PART 0.1

/* When no new task starts, and the grace time. Returns whether they follow from the end of the batch job. */
static bool choose(const struct plb_run_settings *settings, double began, double *at, double *grace)
{
    *at = began + settings->limit_s;
    *grace = settings->grace_s;
    double left = settings->until_job_ends ? plb_launch_time_left() : INFINITY;
    double kept = fmin(GRACES * *grace, PART * left), by_job = plb_now() + left - kept;
    if (!(by_job < *at))
        return false;
    *at = by_job;
    *grace = fmin(*grace, kept / GRACES);
    return true;
}

void plb_early_end_init(struct plb_early_end *end, const struct plb_run_settings *settings, double began,
                        int n_ranks)
{
    *end = (struct plb_early_end){.settings = settings,
                                  .n_ranks = n_ranks,
                                  .until = INFINITY,
                                  .rested = plb_alloc((size_t)n_ranks * sizeof *end->rested)};
    end->by_job = choose(settings, began, &end->at, &end->grace);
}

double plb_early_end_left(const struct plb_run_settings *settings, double began)
{
    double at, grace;
    choose(settings, began, &at, &grace);
    return at + grace - plb_now();
}

void plb_early_end_fini(struct plb_early_end *end)
{
    free(end->rested);
}

static void say_why(const struct plb_early_end *end, enum plb_early_end_reason reason,
                    char text[PLB_EARLY_END_TEXT])
{
    switch (reason) {
    case PLB_TIME_LIMIT:
        snprintf(text, PLB_EARLY_END_TEXT, "the time limit (run.time_limit = %.40s) was reached",
                 end->settings->limit);
        break;
    case PLB_JOB_ENDS:
        snprintf(text, PLB_EARLY_END_TEXT, "interrupted because Slurm is about to end the job");
        break;
    case PLB_SIGNALLED: snprintf(text, PLB_EARLY_END_TEXT, "interrupted by SIGUSR1"); break;
    case PLB_HALTED: snprintf(text, PLB_EARLY_END_TEXT, "the kernel has ended the run"); break;
    case PLB_GOES_ON: snprintf(text, PLB_EARLY_END_TEXT, "interrupted by %s", plb_stop_name()); break;
    }
}

void plb_early_end_halt(struct plb_early_end *end, bool at_once)
{
    end->halts = true;
    end->at_once = at_once;
}

/* Says what bounds the time of the tasks that run, which is the reason for the end where there was none. */
static void say(struct plb_early_end *end, enum plb_early_end_reason reason)
{
    char why[PLB_EARLY_END_TEXT];
    end->reason = end->reason == PLB_HALTED ? PLB_HALTED : reason;
    say_why(end, reason, why);
    plb_log(PLB_LOG_WARNING, "%s: no new task starts, and running tasks have %g s to end", why, end->grace);
}

bool plb_early_end_begins(struct plb_early_end *end, double now)
{
    bool wished = plb_stop_wished(), begins = !plb_early_end_has_begun(end);
    if (end->halts && end->reason != PLB_HALTED) { /* also within the grace time: the work is done */
        end->reason = PLB_HALTED;
        end->until = end->at_once ? now : end->until;
        return begins;
    }
    if (end->until < INFINITY || (!wished && now < end->at))
        return false;
    end->until = now + end->grace;
    say(end, wished ? PLB_SIGNALLED : end->by_job ? PLB_JOB_ENDS : PLB_TIME_LIMIT);
    return begins;
}

void plb_early_end_joined(struct plb_early_end *end, int rank)
{
    end->n_rested -= end->rested[rank];
    end->rested[rank] = false;
}

void plb_early_end_rested(struct plb_early_end *end, int rank)
{
    end->n_rested += !end->rested[rank];
    end->rested[rank] = true;
}

bool plb_early_end_is_over(const struct plb_early_end *end, bool results_on_way, double now)
{
    return plb_early_end_has_begun(end)
        && (now >= end->until || (end->n_rested == end->n_ranks && !results_on_way));
}

/* How to have the whole result after all. */
static const char *go_on(const struct plb_early_end *end)
{
    switch (end->reason) {
    case PLB_TIME_LIMIT: return "run it again with a larger run.time_limit";
    case PLB_JOB_ENDS: return "submit it again with more time (sbatch --time)";
    default: return "run it again";
    }
}

void plb_early_end_describe(const struct plb_early_end *end, const struct plb_made *made, bool keeps,
                            char text[PLB_EARLY_END_TEXT])
{
    bool stopped = end->reason == PLB_HALTED && plb_stop_asked() != 0;
    say_why(end, stopped ? PLB_GOES_ON : end->reason, text);
    size_t n = strlen(text), room = PLB_EARLY_END_TEXT - n;
    if (made->pass == 0)
        snprintf(text + n, room, " before the first pass");
    else
        snprintf(text + n, room, " after %lld of %lld %s of pass %d; to compute all, %s%s",
                 (long long)made->accepted, (long long)made->units, made->unit, made->pass, go_on(end),
                 keeps || made->prints ? "" : "; --keep-partial writes the results so far");
}

const char *plb_early_end_results(bool keeps, bool prints)
{
    return keeps || prints ? "" : "; no output file is written";
}
