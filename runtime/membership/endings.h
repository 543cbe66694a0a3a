/* Ranks whose processes have ended, and whose last words may still be on their way. Communication thread of
 * rank 0 only. */
#ifndef PLB_MEMBERSHIP_ENDINGS_H
#define PLB_MEMBERSHIP_ENDINGS_H

#include <stdbool.h>
#include <stddef.h>

struct plb_endings {
    int *looks; /* by rank: looks for messages until it is lost; 0: it has not ended, or is lost */
    int n, waiting;
};

void plb_endings_init(struct plb_endings *endings, int n);
void plb_endings_fini(struct plb_endings *endings);

/* The process of a rank has ended. */
void plb_endings_hear(struct plb_endings *endings, int rank);

/* To be called once after each look for messages, with -1, and then with the rank that it has returned: the
 * next one whose words would be here by now; -1: none. */
int plb_endings_next(struct plb_endings *endings, int after);

/* The end of a sentence about a lost rank: how the run goes on. unit: of the kernel. begun: the first pass
 * has. closes: the run ends, and devices are closed. */
void plb_endings_say(char *text, size_t room, const char *unit, bool begun, bool closes);

#endif
