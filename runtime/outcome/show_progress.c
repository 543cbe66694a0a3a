/* The master knows who works on what and who is late, and progress when to say it. */
#include "outcome/show_progress.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

/* A PU that has had so many times the expected seconds for its units, and this many seconds, is shown as
 * late. Larger: people hear later. Smaller: noise counts as late. */
#define LATE 2.0
#define LATE_SECONDS 1.0

static void watch(struct plb_progress *progress, struct plb_master *master, int pass, int64_t units,
                  double now)
{
    int n = plb_master_pus(master);
    struct plb_at_work *held = plb_alloc((size_t)n * sizeof *held);
    struct plb_watched_pu *pus = plb_alloc((size_t)n * sizeof *pus);
    struct plb_watched watched = {
        .unit = progress->unit, .pass = pass, .units = units, .pus = pus, .n_pus = n};
    plb_backups_at_work(plb_master_backups(master), now, held);
    for (int p = 0; p < n; p++) {
        const struct plb_pu_info *info = plb_master_pu(master, p);
        const struct plb_pu_totals *t = plb_master_totals(master, p);
        const struct plb_at_work *h = &held[p];
        double worked = t->execute_s + t->transfer_s, left = h->expected - h->seconds;
        bool known = h->expected > 0.0;
        pus[p] = (struct plb_watched_pu){.id = p,
                                         .node = info->node,
                                         .name = info->name,
                                         .gone = plb_master_state(master, p) == PLB_PU_LOST,
                                         .done = t->units,
                                         .rate = worked > 0.0 ? (double)t->units / worked : 0.0,
                                         .held = h->units,
                                         .first = h->first.first,
                                         .last = h->first.first + h->first.count - 1,
                                         .seconds = h->seconds,
                                         .ends_s = known ? left : (double)NAN,
                                         .late = known && h->seconds >= LATE * h->expected
                                              && h->seconds >= LATE_SECONDS};
    }
    plb_progress_watch(progress, &watched);
    free(held);
    free(pus);
}

/* The part of all units that PUs did which are used no more: the rest of the run is without them. */
static double done_by_gone(const struct plb_master *master)
{
    double all = 0.0, gone = 0.0;
    for (int p = 0; p < plb_master_pus(master); p++) {
        const struct plb_pu_totals *t = plb_master_totals(master, p);
        all += (double)t->units;
        gone += plb_master_state(master, p) == PLB_PU_LOST ? (double)t->units : 0.0;
    }
    return gone < all ? gone / all : 0.0;
}

void plb_show_progress(struct plb_progress *progress, struct plb_master *master, int pass, int64_t units,
                       double began, double now)
{
    struct plb_slowest s;
    bool stalled;
    if (!plb_progress_is_due(progress, plb_master_accepted(master), now - began, &stalled))
        return;
    progress->gone = done_by_gone(master);
    if (progress->style != PLB_PROGRESS_LINE) {
        watch(progress, master, pass, units, now);
        return;
    }
    if (!stalled || !plb_backups_slowest(plb_master_backups(master), now, &s)) {
        plb_progress_show(progress, pass, units, NULL);
        return;
    }
    struct plb_awaited awaited = {s.pu, s.range.first, s.range.first + s.range.count - 1, s.seconds,
                                  s.expected};
    plb_progress_show(progress, pass, units, &awaited);
}
