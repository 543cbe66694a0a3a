/* The reference of grn: plain loops over samples. */
#ifndef CHECK_H
#define CHECK_H

#include "table.h"

/* The answer to check. level: genes x samples; best: targets x top. */
struct answer {
    const struct search *s;
    const struct table *table;
    const uint8_t *level;
    const int64_t *target;
    const struct plb_pair_float64 *best;
};

/* Scores each set of the answer again; and for some targets all other sets, or random ones where there are
 * too many. PLB_OK; or PLB_EVERIFY after plb_app_error. */
int check_answer(struct plb_app *app, const struct answer *answer);

#endif
