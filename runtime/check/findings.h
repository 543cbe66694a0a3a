/* The mistakes of a kernel: one sentence each, printed as it is found. The same mistake of a buffer is told
 * once. Not thread-safe. */
#ifndef PLB_CHECK_FINDINGS_H
#define PLB_CHECK_FINDINGS_H

#include <stdbool.h>

enum plb_finding {
    PLB_FOUND_CRASH,
    PLB_FOUND_EXIT,
    PLB_FOUND_STATUS,
    PLB_FOUND_INPUT_WRITTEN,
    PLB_FOUND_BEYOND,
    PLB_FOUND_UNWRITTEN,
    PLB_FOUND_DIFFERENCE,
    PLB_FOUND_THREADS,
    PLB_FOUND_COST,
    PLB_FOUND_FOLD,
    PLB_FOUND_NEUTRAL,
    PLB_FOUND_ORDER,
    PLB_FOUND_GROUPS,
    PLB_FOUND_REDUCED,
    PLB_FOUND_CHANGED,
    PLB_FOUND_WRONG,
};

struct plb_findings {
    const char *kernel; /* its name, which begins each sentence */
    int n;
    bool seen[PLB_FOUND_WRONG + 1][33]; /* by buffer + 1 */
};

/* Adds a sentence about a buffer, or -1; printf's format, no newline. */
__attribute__((format(printf, 4, 5))) void plb_found(struct plb_findings *findings, enum plb_finding what,
                                                     int buffer, const char *format, ...);

#endif
