/* The last words of a rank: a task of its kernel has crashed, and rank 0 hears which units that was. Ranks
 * other than rank 0 only: without rank 0 there is nobody to tell. */
#ifndef PLB_EVERY_RANK_LAST_WORDS_H
#define PLB_EVERY_RANK_LAST_WORDS_H

#include "every_rank/rank.h"

/* The calling thread, that of the communication, begins to look for crashes; ends it. */
void plb_last_words_begin(const struct plb_rank *rank);
void plb_last_words_end(void);

/* Looks whether a task of this rank has crashed. If one has, tells rank 0, and waits for the signal to end
 * the process: nothing else of this rank is to be trusted. */
void plb_last_words_look(struct plb_rank *rank);

#endif
