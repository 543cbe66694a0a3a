/* When a run ends early, as GNU parallel's --halt says it. */
#ifndef COMMAND_HALT_H
#define COMMAND_HALT_H

#include <stdbool.h>
#include <stdint.h>

struct command_halt {
    bool wanted, at_once; /* at_once: programs that run are ended */
    enum { ON_FAIL, ON_SUCCESS, ON_DONE } why;
    double value; /* so many lines; percent: of all lines */
    bool percent;
};

/* Reads WHEN,WHY=VALUE: soon or now; fail, success or done; a number, or N%. Also never, 0, 1 and 2. False:
 * it is none of these. */
bool command_halt_read(const char *text, struct command_halt *halt);

/* Whether the run ends now, of whose lines so many have failed and succeeded. A part counts from three lines
 * on, as in GNU parallel. */
bool command_halt_now(const struct command_halt *halt, int64_t lines, int64_t failed, int64_t succeeded);

#endif
