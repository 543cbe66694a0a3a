/* Bits of processes, and counts. */
#include "past.h"

/* Passes in which processes may leave a line that has failed there to others. More: a run of one process
 * takes longer, by about a millisecond each. Fewer: a line is run again where it has failed. */
#define MOST_DECLINED 8

/* Passes in which nobody has time for a line, of which nobody runs another one. More: a run in which nothing
 * is left that can end goes on for longer, by about a millisecond each. Fewer: a process whose programs are
 * quick may not have looked. */
#define MOST_REFUSED 8

/* The same where a line is left to a process that may have time for it. */
#define MOST_LEFT 256

/* Passes in which nobody runs any line, although one is left to PUs of the other form. They grow to an eighth
 * of a second each. More: a line waits for longer for PUs that have left the run. Fewer: it is run again in
 * the form in which it has failed, although a busy PU of the other form would come. */
#define MOST_YIELDED 64

void command_processes_add(struct command_processes *p, uint32_t where)
{
    for (int i = 0; i < p->n; i++)
        if (p->at[i] == where)
            return;
    if (p->n < COMMAND_PROCESSES)
        p->at[p->n++] = where;
}

bool command_processes_both(const struct command_processes *p)
{
    bool of[2] = {false, false};
    for (int i = 0; i < p->n; i++)
        of[p->at[i] & 1u] = true;
    return of[0] && of[1];
}

static uint64_t bit_of(const struct command_processes *p, uint32_t where)
{
    for (int i = 0; i < p->n; i++)
        if (p->at[i] == where)
            return (uint64_t)1 << i;
    return (uint64_t)1 << where % COMMAND_PROCESSES;
}

static uint64_t all_of(const struct command_processes *p)
{
    return p->n < COMMAND_PROCESSES ? ((uint64_t)1 << p->n) - 1 : ~(uint64_t)0;
}

void command_past_add(struct command_past *past, const struct command_outcome *now,
                      const struct command_processes *processes, bool idle)
{
    if (has_run(now)) {
        *past = (struct command_past){.last = *now, .tries = past->tries + 1};
        return;
    }
    bool busy = now->exit == NO_TIME || command_processes_both(processes);
    past->passes += !busy || idle; /* else others may be busy, and take it later */
    if (past->tries == 0 && past->last.exit != NO_TIME)
        past->last.exit = DECLINED; /* it has not been begun */
    if (now->exit != NO_TIME)
        return;
    past->late = 1;
    past->refused |= bit_of(processes, now->where);
    if (past->tries == 0)
        past->last = *now;
}

void command_past_go_on(struct command_past *past)
{
    past->refused = 0;
    past->passes = 0;
}

uint8_t command_past_todo(const struct command_past *past, int64_t retries,
                          const struct command_processes *processes)
{
    bool wanted = past->tries == 0 ? !has_run(&past->last) : has_failed(&past->last) && past->tries < retries,
         asked = (past->refused & all_of(processes)) == all_of(processes) && past->passes >= MOST_REFUSED;
    if (!wanted || (past->late && (asked || past->passes >= MOST_LEFT)))
        return NOTHING;
    bool both = command_processes_both(processes);
    int most = both ? MOST_YIELDED : MOST_DECLINED;
    bool anywhere = past->tries == 0 || past->passes >= most; /* of times more is known then */
    int what = anywhere ? ANYWHERE : both ? OTHER_FORM : ELSEWHERE;
    return (uint8_t)(what | (past->tries + 1 == retries ? LAST : 0));
}
