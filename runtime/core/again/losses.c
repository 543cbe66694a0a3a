/* The ledger frees, the view follows, the balancer hears, and PUs are asked. */
#include "core/again/losses.h"

/* After the ledger has freed units: asks for all PUs that can take a block. The PUs from `first` on are gone;
 * n is 0 where everybody knew. */
static void go_on(const struct plb_losses *l, int first, int n, double now, double pass_s,
                  struct plb_outbox *out)
{
    int from = out->n;
    plb_agenda_follow(l->agenda, -1, pass_s);
    plb_agenda_tell_balancer(l->agenda);
    if (n > 0)
        plb_backups_lost(l->backups, first, n);
    plb_agenda_ask_all(l->agenda, out);
    plb_backups_granted(l->backups, out, from, now);
    if (n > 0)
        plb_audits_lost(l->audits, now, out);
}

void plb_losses_node(const struct plb_losses *l, int node, double now, double pass_s, struct plb_outbox *out)
{
    int first = plb_broker_first_pu(l->broker, node), n = plb_broker_pus(l->broker, node);
    plb_agenda_lose(l->agenda, first, n);
    plb_ledger_lose(l->ledger, node);
    go_on(l, first, n, now, pass_s, out);
}

void plb_losses_pu(const struct plb_losses *l, int pu, bool first, struct plb_range units, int64_t block,
                   enum plb_regrant_reason reason, double now, double pass_s, struct plb_outbox *out)
{
    if (first)
        plb_agenda_lose(l->agenda, pu, 1);
    plb_ledger_drop(l->ledger, units, block, reason);
    go_on(l, pu, first, now, pass_s, out);
}
