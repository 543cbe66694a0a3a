/* Rank 0 knows this of the lines, and says it of them before and after. */
#ifndef COMMAND_ENDING_H
#define COMMAND_ENDING_H

#include "halt.h"
#include "past.h"

#define FAILURE 320 /* bytes of a text on a line that failed */

struct state {
    int64_t units;
    uint8_t *todo;               /* for each line */
    uint32_t *where;             /* it ran last */
    struct command_outcome *now; /* of the pass */
    struct command_past *past;
    struct command_processes processes; /* that have run lines, or refused them */
    uint8_t *counted;                   /* for each line: it has ended, for --halt */
    struct command_halt halt;
    int64_t failed, succeeded; /* of these */
    bool halted;
    char why[FAILURE + 100]; /* for lines that have failed; else "" */
    const char *text;
    const struct command_place *places;
    const double *costs;  /* NULL: they are not told */
    const int64_t *order; /* the units in the order of their lines; NULL: it is theirs */
    double unknown;       /* below 0: what programs get instead */
    struct command_spec *spec;
};

/* Which line failed how: "line 3: ./sim 3: exit status 1". */
void command_describe_failure(const struct state *s, int64_t unit, const struct command_outcome *last,
                              char text[FAILURE]);

/* How a line ended last, in the pass that runs or in an earlier one. Of a pass that --halt or a crash has
 * ended, `next` has seen nothing; lines that were not begun in it are zeros. */
const struct command_outcome *command_last_of(const struct state *s, int64_t unit);

/* Prints the command of each line, in their order. */
void command_print_all(const struct state *state);

/* Warns of lines that will not end before the time of the run is over, as far as their times are known. */
void command_forecast(const struct plb_app *app, const struct state *state);

/* When no line is run any more: says which have failed, and which were not begun. PLB_OK. */
int command_tell(struct plb_app *app);

#endif
