/* The master knows who is late, and progress when to say it. */
#include "drive/show_progress.h"

void plb_show_progress(struct plb_progress *progress, struct plb_master *master, int64_t units, double began,
                       double now)
{
    struct plb_slowest s;
    bool stalled;
    if (!plb_progress_is_due(progress, plb_master_accepted(master), now - began, &stalled))
        return;
    if (!stalled || !plb_backups_slowest(plb_master_backups(master), now, &s)) {
        plb_progress_show(progress, units, NULL);
        return;
    }
    struct plb_awaited awaited = {s.pu, s.range.first, s.range.first + s.range.count - 1, s.seconds,
                                  s.expected};
    plb_progress_show(progress, units, &awaited);
}
