/* Which name a user may have meant. */
#ifndef PLB_CONFIG_NEAREST_H
#define PLB_CONFIG_NEAREST_H

/* The name in `names` (ended by NULL) that differs from `wrong` in the fewest letters: inserted, left out,
 * replaced, or swapped with the next one. NULL where each differs in more than a third of them, and in more
 * than one. Thread-safe. */
const char *plb_nearest(const char *wrong, const char *const *names);

#endif
