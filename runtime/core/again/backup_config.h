/* The surroundings of backups, and their counts (core/again/backup.h). */
#ifndef PLB_CORE_AGAIN_BACKUP_CONFIG_H
#define PLB_CORE_AGAIN_BACKUP_CONFIG_H

#include "core/grant/agenda.h"
#include "core/grant/broker.h"
#include "core/measure/history.h"

/* Seconds between two looks. Larger: a backup begins later. Smaller: many idle PUs cost the master more. */
#define PLB_LOOK_GAP 1e-3

/* In all passes. */
struct plb_backup_counts {
    int64_t copies, won; /* won: a result of the copy came before the holder's */
};

struct plb_backups_config {
    const struct plb_pus *pus;       /* borrowed, as all that follows */
    struct plb_ledger *ledger;       /* only its regrants change */
    const struct plb_broker *broker; /* which PUs a node has */
    struct plb_agenda *agenda;       /* names victims */
    struct plb_history *histories;   /* n_phases of each PU, PU by PU */
    int n_phases;
    bool on;            /* else there are none */
    bool whole_results; /* a result of which a part was accepted before does not count */
};

#endif
