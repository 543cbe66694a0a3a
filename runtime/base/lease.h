/* Memory that nobody gets back: a lease that never ends.
 *
 * A rank may be given up in the middle of a message. What MPI has matched by then it writes to the end when
 * that rank goes on, or never, and it does not say which. So the memory of such a transfer is left here. A
 * late writer can never touch what counts: memory counts for nothing before all transfers to it have ended,
 * and where one never ends, that memory is used for nothing else.
 *
 * One thread alone, the one that calls MPI. Cost: what was on its way from a lost rank stays in memory. */
#ifndef PLB_BASE_LEASE_H
#define PLB_BASE_LEASE_H

/* Memory from malloc, or NULL: it is neither freed nor used again before the process ends. */
void plb_lease_for_ever(void *memory);

/* The same of n pieces. Their owner has none of them any more: the pointers are NULL. */
void plb_lease_all(void **memory, int n);

#endif
