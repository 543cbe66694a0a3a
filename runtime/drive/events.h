/* The virtual transport: what time is and how messages travel in a simulation. A heap of events,
 * ordered by time and then by the order they were added in, so that a run is exactly repeatable. */
#ifndef PLB_DRIVE_EVENTS_H
#define PLB_DRIVE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/message.h"

struct plb_event {
    double time;
    int kind;                   /* the driver's own */
    int node, pu;
    struct plb_message message;
};

struct plb_events;

struct plb_events *plb_events_new(void);
void plb_events_free(struct plb_events *v);

/* Plans an event; one in the past happens next. */
void plb_events_add(struct plb_events *v, const struct plb_event *event);

/* The next event, or false where there is none. Time never goes back. */
bool plb_events_next(struct plb_events *v, struct plb_event *event);

#endif
