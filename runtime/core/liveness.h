/* Which ranks live, judged by when each was last heard. Another rank of the same host
 * may vouch for one that is silent: its process runs, and only its core was taken away, or its communication
 * thread is busy. No I/O, no clock. Not thread-safe.
 *
 * A judge that has not looked for long was delayed itself, and all that it missed waits for it. So the time
 * in which it did not look counts for nobody.
 *
 *   AWAITED ── joins ──> ALIVE <─── is heard ─── STARTING     all ranks of the start are STARTING at first
 *                         │ │ ^
 *       has said all it   │ │ │ is heard
 *       has to say        │ v │
 *   EXCUSED <─────────────┘ SUSPECT    silent for longer than a BEAT may be late; so may one that is STARTING
 *
 *   all of these but AWAITED ───> LOST, which is final
 *
 * This is rank 0's judgement, by silence and by what others tell of a process (membership/life.c). Others
 * keep what follows from it for them: the ledger, whose units are free again, and the transport, to whom
 * nothing is sent any more. Whether a PU can be used is its own state (core/pus/pu_state.h). */
#ifndef PLB_CORE_LIVENESS_H
#define PLB_CORE_LIVENESS_H

#include <stdbool.h>

/* Seconds between two BEATs of a node, where there are not too many nodes, and between two looks. Larger: a
 * loss is noticed later. Smaller: more messages. */
#define PLB_BEAT_SECONDS 0.1

/* Beats: a BEAT that is later makes its rank a suspect, and who looks later than that was delayed itself.
 * Larger: hosts are asked too late, and a delay counts as silence or as a task that hangs. Smaller: more
 * questions, and who looks rarely notices losses later. */
#define PLB_LATE_BEATS 2.0

/* BEATs that rank 0 gets in a second at most, from all: among more nodes than say as many, each says BEAT
 * less often. Larger: rank 0 needs more of a core for them; each needs up to 4 us in shared memory and 8 us
 * over TCP. Smaller: losses among many nodes are noticed later. */
#define PLB_MOST_BEATS 2500.0

/* Seconds without a message after which a rank is lost, where nobody vouches for it; of runs, lost_after in
 * job/job_settings.c says so, with this default. Larger: the work of a dead rank waits longer. Smaller: a
 * rank whose host is delayed for a moment is given up. Eight beats; a busy virtual machine takes cores away
 * for a quarter of a second. */
#define PLB_LOST_AFTER 0.8

/* The least that the user may say: three BEATs. Larger: a loss cannot be noticed as soon. Smaller: one BEAT
 * that is late loses a rank that lives. */
#define PLB_LEAST_LOST_AFTER 0.3

/* Seconds without a message of its own after which a rank is lost whose process runs. Larger: the work of one
 * that hangs within MPI waits longer. Smaller: one that is busy elsewhere is given up. */
#define PLB_LOST_THOUGH_RUNNING 10.0

enum plb_rank_state {
    PLB_RANK_STARTING, /* has said nothing yet */
    PLB_RANK_ALIVE,
    PLB_RANK_SUSPECT, /* perhaps lost: its host is asked */
    PLB_RANK_EXCUSED, /* its silence means nothing any more */
    PLB_RANK_AWAITED, /* may join */
    PLB_RANK_LOST
};

/* Whether a rank is there. */
static inline bool plb_rank_is_there(enum plb_rank_state state)
{
    return state != PLB_RANK_AWAITED && state != PLB_RANK_LOST;
}

struct plb_liveness;

/* For n ranks, all of them just heard. Rank 0 is the judge. hosts: by rank, equal for ranks of one host; it
 * is copied. lost_after: seconds without a message, where BEATs come every PLB_BEAT_SECONDS; where they come
 * less often, so much more. */
struct plb_liveness *plb_liveness_new(int n, const int *hosts, double lost_after, double now);
/* Seconds between two BEATs of each of n ranks. */
double plb_liveness_beat(int n);

/* Seconds that n ranks have for something that they do together and that few do in `few` seconds: as much
 * more as their BEATs are rarer. */
double plb_liveness_together(int n, double few);

void plb_liveness_free(struct plb_liveness *liveness);

/* A message of a rank has arrived. One that was lost stays lost. */
void plb_liveness_heard(struct plb_liveness *liveness, int rank, double now);

/* Another rank of its host has seen that the process of this one runs. */
void plb_liveness_vouch(struct plb_liveness *liveness, int rank, double now);

/* A rank may be silent for so many seconds more than others, from now on: its messages wait behind data. */
void plb_liveness_spare(struct plb_liveness *liveness, int rank, double seconds);

/* A rank has said all that it has to say. Its silence means nothing any more. */
void plb_liveness_excuse(struct plb_liveness *liveness, int rank);

/* A rank is lost, as somebody else knows. False where it was not there. */
bool plb_liveness_lose(struct plb_liveness *liveness, int rank);

/* Before the first look: a rank is not there yet. And it has come. */
void plb_liveness_await(struct plb_liveness *liveness, int rank);
void plb_liveness_join(struct plb_liveness *liveness, int rank, double now);

/* The time that ranks have counts anew from now on: the judge did something else. */
void plb_liveness_resume(struct plb_liveness *liveness, double now);

/* Looks at all ranks, at most once a beat. Returns one that is to be given up, or -1. To be called, with
 * plb_liveness_lose after it, until it is -1. */
int plb_liveness_look(struct plb_liveness *liveness, double now);

enum plb_rank_state plb_liveness_of(const struct plb_liveness *liveness, int rank);

/* Another rank of the same host that was heard of late: it can be asked whether the process of this one runs.
 * -1: there is none. Not rank 0, which sees by itself what its host knows. */
int plb_liveness_witness(const struct plb_liveness *liveness, int rank);

/* Whether no other rank is on its host, so that nobody can answer for it. */
bool plb_liveness_alone(const struct plb_liveness *liveness, int rank);

/* The time of a rank's own last word, as far as it counts. */
double plb_liveness_last(const struct plb_liveness *liveness, int rank);

/* Whether it was no suspect at that time, by its own words. False for INFINITY, a time that has not come. */
bool plb_liveness_spoke_at(const struct plb_liveness *liveness, int rank, double time);

#endif
