/* A window of time in which a rank's meters were read: the body of WINDOW. */
#ifndef PLB_CORE_MESSAGE_WINDOW_H
#define PLB_CORE_MESSAGE_WINDOW_H

#include <stdint.h>

#define PLB_WINDOW_PUS 24 /* in one WINDOW at most; more would make it the largest message */

/* Seconds of the first windows of a run, of the others, and of the time for which they are short. Windows
 * end at multiples of the first on the run's clock: the ranks of a host have the same ones. Those of a rank
 * that joins are long, since those of its host will be. Longer: watts are known later. Shorter: counters,
 * which are refreshed after a millisecond, are too coarse. */
#define PLB_WINDOW_SHORT 0.1
#define PLB_WINDOW_LONG 1.0
#define PLB_WINDOW_FIRST 5.0

/* The joules of a domain are told once they are of so many times its `refresh`. Larger: later. Smaller:
 * coarser. */
#define PLB_WINDOW_REFRESHES 10.0

/* The meters of a PU, bits in HELLO. */
enum plb_pu_meter {
    PLB_METERED_ALONE = 1,  /* a meter measures this PU and nothing else */
    PLB_METERS_ITS_HOST = 2 /* the rank reads the processors of its host */
};

struct plb_window_pu {
    float busy_s; /* in this window */
    float joules; /* of its own meter since these were last told; NAN: none are told */
};

/* PUs from number `pu` of the message on. */
struct plb_window {
    int64_t number; /* the window ends at so many times PLB_WINDOW_SHORT, on the run's clock */
    double seconds; /* of this window */
    double joules;  /* of the host's processors since these were last told; NAN: none are told */
    int32_t n, unused;
    struct plb_window_pu at[PLB_WINDOW_PUS];
};

#endif
