/* Windows of meters: the agenda may choose others then. */
#include "core/master_inside.h"

void plb_master_metered(struct plb_master *m, const struct plb_message *message, double now,
                        struct plb_outbox *out)
{
    int first = plb_broker_pu(m->broker, message->from, message->pu), from = out->n;
    bool known = first >= 0 && message->window.n > 0
              && plb_broker_pu(m->broker, message->from, message->pu + message->window.n - 1) >= 0;
    if (!known || plb_ledger_lost(m->ledger, message->from)) {
        m->counts.dropped++;
        return;
    }
    if (m->map == NULL || plb_agenda_failure(m->agenda) != NULL)
        return;
    plb_agenda_metered(m->agenda, first, &message->window, now - m->pass_began, out);
    plb_backups_granted(m->backups, out, from, now);
}
