/* Lines for people on stderr. Each begins with "plbrun: ". Thread-safe. */
#ifndef PLB_BASE_LOG_H
#define PLB_BASE_LOG_H

/* Prints one line, to which it adds the newline; a longer one is cut. Rank 0 prints what concerns the run,
 * another rank only what concerns its own host. */
__attribute__((format(printf, 1, 2))) void plb_say(const char *format, ...);

#endif
