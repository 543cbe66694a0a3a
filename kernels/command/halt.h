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

/* This process counts the lines that end in it, and begins no other where they alone end the run: rank 0,
 * which counts all of them, hears of a line only later. These two may be called by any thread.
 *
 * A line has ended, and is not run again. */
void command_halt_ended(const struct command_halt *halt, int64_t lines, int64_t line, bool failed);

/* Whether the line is not begun here. One that comes again is: then rank 0 lets the run go on, since the
 * result of another process counts. */
bool command_halt_leaves(int64_t line);

#endif
