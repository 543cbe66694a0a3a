/* Lines for people on stderr, each starting with "plbrun: ". Thread-safe as far as stderr is. */
#ifndef PLB_BASE_LOG_H
#define PLB_BASE_LOG_H

/* One whole line, newline added. Rank 0 prints what concerns the run; another rank only what
 * concerns its own host. */
__attribute__((format(printf, 1, 2)))
void plb_say(const char *format, ...);

#endif
