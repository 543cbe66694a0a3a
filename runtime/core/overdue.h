/* Whether a task has run for far longer than expected: it is late, which people hear, and later hung, which
 * makes its PU lost.
 *
 * A task is late after `after` seconds, or after PLB_LATE_TIMES what was expected where that is longer. It is
 * hung at PLB_HUNG_TIMES that age. Where nothing is expected it may be late, and is never hung: costs are
 * unknown, or the PU has ended no task of the phase.
 *
 * Ages are counted in looks, about ten a second. A look that comes late counts as one beat: so time does not
 * count in which the whole process was stopped, its machine slept, or nobody looked. No I/O, no clock. Not
 * thread-safe. */
#ifndef PLB_CORE_OVERDUE_H
#define PLB_CORE_OVERDUE_H

#include <stdbool.h>
#include <stdint.h>

/* A task is late after so many times the expected seconds. Larger: people hear later. Smaller: they hear of
 * PUs that were slowed down, or whose costs were told wrongly. */
#define PLB_LATE_TIMES 8.0

/* A late task is hung at so many times the age at which it was late. Larger: its units wait longer. Smaller:
 * a PU that others slow down, to a sixteenth and with noise, is lost. */
#define PLB_HUNG_TIMES 2.0

enum plb_overdue_state { PLB_IN_TIME, PLB_LATE, PLB_HUNG };

/* The task that a PU executes. A zeroed struct has seen nothing. */
struct plb_overdue {
    int64_t step;    /* of the PU: it grows whenever a task begins or ends there */
    double age;      /* seconds since that step, as far as they count */
    double expected; /* seconds at most; 0: not known */
    bool said;       /* that it is late */
};

/* The seconds that count since the last look, which is moved to `now`; 0: it is too soon for another look. */
double plb_overdue_beat(double *looked, double now);

/* A PU has made a step, and executes a task from now on. */
void plb_overdue_begin(struct plb_overdue *overdue, int64_t step, double expected);

/* So many more seconds have gone by without a step. PLB_LATE is said once for a task. */
enum plb_overdue_state plb_overdue_look(struct plb_overdue *overdue, double after, double seconds);

/* Seconds after which a task is hung; infinite: never. */
double plb_overdue_limit(double after, double expected);

#endif
