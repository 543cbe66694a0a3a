/* The smallest task that serves each PU well, by its curve. Part of the agenda. Where there are many PUs,
 * curves are fitted anew only now and then. Not thread-safe. */
#ifndef PLB_CORE_GRANT_LEAST_H
#define PLB_CORE_GRANT_LEAST_H

#include "core/grant/balancer_view.h"

struct plb_least_task {
    double work; /* by the PU's curve of some reports ago */
    int at;      /* reports that it had then; 0: never */
};

struct plb_least {
    struct plb_balancer_view *seen; /* borrowed */
    struct plb_least_task *of;      /* by PU */
};

void plb_least_init(struct plb_least *least, struct plb_balancer_view *seen);
void plb_least_fini(struct plb_least *least);

/* A pass begins: nothing is known. */
void plb_least_begin(struct plb_least *least);

/* Whether there are so many PUs that fits cost the master too much. */
bool plb_least_many(const struct plb_least *least);

/* Fits a PU's curve for its least task, where that is not known or is some reports old. */
void plb_least_look(struct plb_least *least, int pu);

/* The least task in units; 0 where it is not known. */
int64_t plb_least_units(const struct plb_least *least, int pu);

#endif
