/* The virtual clock of a simulation: events in the order of their time. Events of one time come in the order
 * in which they were planned, so that a run is exactly repeatable. O(log n) per event. Not thread-safe. */
#ifndef PLB_SIMULATE_EVENTS_H
#define PLB_SIMULATE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

enum plb_event_kind {
    PLB_EVENT_ARRIVE, /* a frame is there. item: its number in the network */
    PLB_EVENT_RANK0,  /* rank 0 has time for the next frame, or to send */
    PLB_EVENT_INPUTS, /* the inputs of a task are there. item: the number of the task on its PU */
    PLB_EVENT_HALO,   /* what a node has not asked for is there. item: the pass */
    PLB_EVENT_END,    /* a PU has executed its task. item: the number of the task on its PU */
    PLB_EVENT_HUNG,   /* a PU should have executed its task for long. item: as above */
    PLB_EVENT_LOOK,   /* a node sends its reports and looks for answers */
    PLB_EVENT_FAULT,  /* item: the number of the fault */
    PLB_EVENT_TICK,   /* the master does what is due */
    PLB_EVENT_JOIN,   /* a node comes */
    PLB_EVENT_BEAT,   /* rank 0 looks who lives: a node is silent */
    PLB_EVENT_WINDOW, /* a node reads its meters */
};

/* Small, since a heap moves its entries often. */
struct plb_event {
    double time;
    int32_t kind, node, pu, item;
};

struct plb_events;

struct plb_events *plb_events_new(void);
void plb_events_free(struct plb_events *events);

/* Plans an event. One that lies in the past happens next. */
void plb_events_add(struct plb_events *events, struct plb_event event);

/* The next event; false where there is none. Time never goes back. */
bool plb_events_next(struct plb_events *events, struct plb_event *event);

#endif
