/* Invariants, as a sentence. */
#include "core/self_check.h"

#include <stdio.h>

/* PUs up to which a debug build checks. A check costs O(PUs): with more, a pass of 10,000 PUs takes hours. */
#define CHECKED_PUS 256

void plb_self_check(const struct plb_ledger *ledger, struct plb_agenda *agenda, int n_pus)
{
#ifdef PLB_DEBUG
    char why[150];
    const char *wrong = n_pus <= CHECKED_PUS ? plb_ledger_check(ledger) : NULL;
    if (wrong == NULL && n_pus <= CHECKED_PUS)
        wrong = plb_agenda_check(agenda);
    snprintf(why, sizeof why,
             "an invariant of the master is violated: %s; this is a bug in plbrun, please report it",
             wrong != NULL ? wrong : "");
    if (wrong != NULL)
        plb_agenda_fail(agenda, why);
#else
    (void)ledger, (void)agenda, (void)n_pus;
#endif
}
