/* Rank 0 knows this of the lines, and says it of them before and after. */
#ifndef COMMAND_ENDING_H
#define COMMAND_ENDING_H

#include "halt.h"
#include "lines.h"

#define FAILURE 320 /* bytes of a text on a line that failed */

/* The past of a line: how it ended last, how often it ran, and in how many passes it was declined since. */
struct past {
    struct command_outcome last; /* NO_TIME: it has not been begun */
    int32_t tries, declined;
};

struct state {
    int64_t units;
    uint8_t *todo;               /* for each line */
    uint32_t *where;             /* it ran last */
    struct command_outcome *now; /* of the pass */
    struct past *past;
    uint8_t *counted; /* for each line: it has ended, for --halt */
    struct command_halt halt;
    int64_t failed, succeeded; /* of these */
    bool halted;
    char why[FAILURE + 100]; /* for lines that have failed; else "" */
    const char *text;
    const struct command_place *places;
    const double *costs; /* NULL: they are not told */
    double untold;       /* below 0: what programs get instead */
    struct command_spec *spec;
};

static inline bool has_run(const struct command_outcome *outcome)
{
    return outcome->exit != DECLINED && outcome->exit != NO_TIME;
}

static inline bool has_failed(const struct command_outcome *outcome)
{
    return has_run(outcome) && (outcome->exit != 0 || outcome->signal != 0);
}

/* Which line failed how: "line 3: ./sim 3: exit status 1". */
void command_describe_failure(const struct state *s, int64_t unit, const struct command_outcome *last,
                              char text[FAILURE]);

/* Prints the command of each line, in their order. */
void command_print_all(const struct state *state);

/* Warns of lines that will not end before the time of the run is over, as far as their times are known. */
void command_forecast(const struct plb_app *app, const struct state *state);

/* When no line is run any more: says which have failed, and which were not begun. PLB_OK. */
int command_tell(struct plb_app *app);

#endif
