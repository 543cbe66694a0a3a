/* A journal for people: a line for each range of units, in the columns of GNU parallel's joblog. */
#ifndef PLB_JOURNAL_JOBLOG_H
#define PLB_JOURNAL_JOBLOG_H

#include <stdio.h>

#include "base/error.h"

/* Prints the journal in this file, of a run that goes on too. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_joblog_print(const char *file, FILE *out, struct plb_error *err);

#endif
