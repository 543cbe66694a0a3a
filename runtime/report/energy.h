/* The energy of a run as people read it. */
#ifndef PLB_REPORT_ENERGY_H
#define PLB_REPORT_ENERGY_H

#include <stdio.h>

#include "report/report.h"

/* One line with the sums, and one for each meter that counts and is not fully believed. Nothing where nothing
 * was measured. Of a simulation, the energy by the watts of its cluster. */
void plb_energy_say(const struct plb_report *report, FILE *out);

#endif
