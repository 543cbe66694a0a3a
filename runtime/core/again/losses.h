/* A node or a PU is gone: its work is free again, and others are asked. Part of the master. Not
 * thread-safe. */
#ifndef PLB_CORE_AGAIN_LOSSES_H
#define PLB_CORE_AGAIN_LOSSES_H

#include "core/again/audit.h"
#include "core/again/backup.h"
#include "core/grant/agenda.h"

/* The parts of the master that hear of it; borrowed. */
struct plb_losses {
    struct plb_ledger *ledger;
    const struct plb_broker *broker;
    struct plb_agenda *agenda;
    struct plb_backups *backups;
    struct plb_audits *audits;
};

/* A node is gone, with all that it holds. now: on the clock of the backups; pass_s: seconds since the pass
 * began. Adds the BLOCKs of those that get its work. */
void plb_losses_node(const struct plb_losses *losses, int node, double now, double pass_s,
                     struct plb_outbox *out);

/* PU `pu` executes nothing any more, and neither these units of a block; no units: none of this pass. first:
 * nobody knew that the PU is gone. reason: why the units are free again. The rest as above. */
void plb_losses_pu(const struct plb_losses *losses, int pu, bool first, struct plb_range units, int64_t block,
                   enum plb_regrant_reason reason, double now, double pass_s, struct plb_outbox *out);

#endif
