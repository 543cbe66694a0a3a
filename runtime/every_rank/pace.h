/* When the communication thread looks again: at once, as long as something has just moved, then after sleeps
 * that grow with the time in which nothing has moved. So a message that comes after t seconds waits for at
 * most a quarter of t more; where all PUs of the rank wait for it, a twentieth. Between looks at once the
 * thread yields its core. Where that takes long, others need the core, and keep it for a time slice; then the
 * thread looks for as long without yields. Its sleeps leave them the core, and end in time. Ranks that share
 * their cores always yield, and so pass them to each other. A rank that is alone sleeps at once, since its
 * PUs wake the thread. So does one whose PUs execute shares that stand: nobody has anything to tell.
 * Where PUs compute on all its cores and a yield has lasted a time slice, the thread sleeps at once there for
 * a while. Where it awaits nothing either, its sleeps are longer: each look takes a core from PUs that have
 * work. All times are those of plb_now(). */
#ifndef PLB_EVERY_RANK_PACE_H
#define PLB_EVERY_RANK_PACE_H

#include <stdbool.h>

enum plb_pace_state {
    PLB_PACE_CALM,     /* nothing special */
    PLB_PACE_SHARING,  /* other nodes may ask for work */
    PLB_PACE_AWAITING, /* an answer is awaited, or data is on its way */
    PLB_PACE_BESIDE,   /* PUs of the rank compute on its cores, and it awaits nothing */
    PLB_PACE_WORKING,  /* nobody wants anything before the PUs have ended, and they wake the thread */
    PLB_PACE_ALONE,    /* no other rank can send anything */
};

/* What PUs do with the cores of the rank. */
enum plb_pace_cores {
    PLB_PACE_FREE, /* no PU has work */
    PLB_PACE_SOME, /* some PUs have */
    PLB_PACE_TAKEN /* each PU has, and one of them computes on a core of the host */
};

struct plb_pace {
    double moved;    /* when something moved last */
    int looks;       /* at once, since then */
    double beside_s; /* constant: seconds of the shortest sleep beside PUs that compute */
    double crowded;  /* until when others need the core */
    double slices;   /* until when a yield to PUs that compute would probably last a time slice */
    bool passes;     /* constant: ranks share cores, so that a yield may be what another rank waits for */
};

/* So many ranks of this host have so many cores, and so many await answers of this one. */
void plb_pace_init(struct plb_pace *pace, int ranks, int cores, int askers);

/* Something has moved. */
void plb_pace_moved(struct plb_pace *pace, double now);

/* Whether to look again without a sleep. */
bool plb_pace_at_once(const struct plb_pace *pace, double now, enum plb_pace_state state,
                      enum plb_pace_cores cores);

/* Seconds to sleep, else. */
double plb_pace_sleep(const struct plb_pace *pace, double now, enum plb_pace_state state,
                      enum plb_pace_cores cores);

/* The thread has looked, and has yielded its core meanwhile. */
void plb_pace_yielded(struct plb_pace *pace, double before, double after);

/* Whether a yield will probably be short. */
bool plb_pace_may_yield(const struct plb_pace *pace, double now);

/* Between two looks at once: yields the core where that is short. */
void plb_pace_yield(struct plb_pace *pace);

#endif
