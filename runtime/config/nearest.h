/* Which name a user may have meant. */
#ifndef PLB_CONFIG_NEAREST_H
#define PLB_CONFIG_NEAREST_H

/* The name in `names` (ended by NULL) that differs from `wrong` in the fewest letters: inserted, left out or
 * exchanged. NULL where each differs in more than half of them. Thread-safe. */
const char *plb_nearest(const char *wrong, const char *const *names);

#endif
