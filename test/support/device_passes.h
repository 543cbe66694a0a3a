/* Passes for devices whose results feed the next one. */
#ifndef TEST_DEVICE_PASSES_H
#define TEST_DEVICE_PASSES_H

#include "device_places.h"

/* A pass begins; now: the results of the last one are its input, and those of these units counted. */
static inline void begin_pass(struct fixture *f, int pass, bool now, int64_t first, int64_t count)
{
    static struct plb_renewal renewal;
    struct plb_error err = {.status = PLB_OK};
    struct plb_message begin = {.type = PLB_PASS, .pass = pass},
                       counted = {.type = PLB_COUNTED, .pass = pass};
    begin.begin = (struct plb_pass){.n_feeds = 1, .feeds = {{OUT, IN, now}}};
    counted.counted = (struct plb_counted){.n = 1, .at = {{first, count}}};
    for (int64_t u = 0; u < UNITS && now; u++) /* another PU's result differs */
        in[u] = out[u] + (u < first || u >= first + count ? 0.5 : 0.0);
    plb_renewal_begin(&renewal, &begin, true, false, NULL);
    plb_renewal_counted(&renewal, &counted);
    plb_executor_follow(&f->e, &renewal);
    assert_int_equal(plb_executor_renew(&f->e, &err), PLB_OK);
    plb_renewal_fini(&renewal);
}

#endif
