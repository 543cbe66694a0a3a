/* Lines for people on stderr. Each begins with "plbrun: ". Thread-safe, but for plb_log_open and
 * plb_log_rank.
 *
 * A line of the log has a level. From level info on it tells the time. A rank other than 0 names itself and
 * its host. Rank 0 prints what concerns the run, another rank only what concerns its own host. */
#ifndef PLB_BASE_LOG_H
#define PLB_BASE_LOG_H

#include <stdbool.h>

/* From the gravest. `info`: facts about the start of a run. `debug`: its steps, on every rank. */
enum plb_log_level { PLB_LOG_ERROR, PLB_LOG_WARNING, PLB_LOG_INFO, PLB_LOG_DEBUG };
#define PLB_LOG_CHOICES "error|warning|info|debug"

/* Lines up to this level are printed from now on; before, errors and warnings. The time of a line counts from
 * here. Main thread, while no other runs. */
void plb_log_open(enum plb_log_level most);

/* This process is rank `rank` of a run. Main thread, while no other runs. */
void plb_log_rank(int rank);

/* Whether lines of this level are printed. */
bool plb_log_shows(enum plb_log_level level);

/* Prints one line, to which it adds the newline; a longer one is cut. A warning begins with "warning: ". */
__attribute__((format(printf, 2, 3))) void plb_log(enum plb_log_level level, const char *format, ...);

/* The same, of a line that concerns this rank's host: rank 0 names itself too. */
__attribute__((format(printf, 2, 3))) void plb_log_here(enum plb_log_level level, const char *format, ...);

/* Prints an answer that the user has asked for, at every level, without time and rank. */
__attribute__((format(printf, 1, 2))) void plb_say(const char *format, ...);

#endif
