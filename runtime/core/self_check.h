/* The check of a debug build after every event of the master. Not thread-safe. */
#ifndef PLB_CORE_SELF_CHECK_H
#define PLB_CORE_SELF_CHECK_H

#include "core/grant/agenda.h"
#include "core/ledger/ledger.h"

/* Fails the run where an invariant of the ledger or of the agenda does not hold. Nothing in another build. */
void plb_self_check(const struct plb_ledger *ledger, struct plb_agenda *agenda, int n_pus);

#endif
