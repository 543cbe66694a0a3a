/* A rank that starts later finds the running job by its file (membership/door.h). */
#ifndef PLB_MEMBERSHIP_KNOCK_H
#define PLB_MEMBERSHIP_KNOCK_H

#include "membership/door.h"

/* Connects, says who comes, and waits for the answer. Returns a socket that does not block; or negative, and
 * a sentence: with PLB_EINPUT where the file is wrong, with PLB_EFAILED where the run is over. */
int plb_knock(const char *path, struct plb_door_answer *answer, struct plb_error *err);

#endif
