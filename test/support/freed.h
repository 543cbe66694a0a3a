/* Units that were freed after they had been granted, in all passes: for tests. */
#ifndef PLB_TEST_FREED_H
#define PLB_TEST_FREED_H

#include "core/master.h"

static inline int64_t freed_units(const struct plb_master *master)
{
    const struct plb_regrants *r = plb_master_regrants(master);
    int64_t units = 0;
    for (int reason = 0; reason < PLB_REGRANT_REASONS; reason++)
        units += reason == PLB_REGRANT_BACKUP || reason == PLB_REGRANT_AUDIT ? 0 : r->units[reason];
    return units;
}

#endif
