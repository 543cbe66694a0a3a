/* The virtual transport: what time is and how messages travel in a simulation. A heap of events,
 * ordered by time and then by the order they were added in, so that a run is exactly repeatable. */
#ifndef PLB_TRANSPORT_VIRTUAL_H
#define PLB_TRANSPORT_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/message.h"

struct plb_event {
    double time;
    int kind;                   /* the driver's own */
    int node, pu;
    struct plb_message message;
};

struct plb_virtual;

struct plb_virtual *plb_virtual_new(void);
void plb_virtual_free(struct plb_virtual *v);

/* Plans an event; one in the past happens next. */
void plb_virtual_add(struct plb_virtual *v, const struct plb_event *event);

/* The next event, or false where there is none. Time never goes back. */
bool plb_virtual_next(struct plb_virtual *v, struct plb_event *event);

#endif
