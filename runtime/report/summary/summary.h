/* The report as text, for people. */
#ifndef PLB_REPORT_SUMMARY_SUMMARY_H
#define PLB_REPORT_SUMMARY_SUMMARY_H

#include <stdio.h>

#include "report/report.h"

/* A line per PU, one for the run, and further ones where there is something to say. */
void plb_report_summary(const struct plb_report *report, FILE *out);

/* One short line: units, the makespan, the PUs, and the units of each kind of PU. */
void plb_report_brief(const struct plb_report *report, FILE *out);

/* The parts of the elapsed time, without a newline; nothing in a simulation, whose time is virtual. */
void plb_report_elapsed(const struct plb_report *report, FILE *out);

/* The line for the run alone, without its newline. */
void plb_report_line(const struct plb_report *report, FILE *out);

/* Writes a text in which {key} stands for the value of a run's field as people read it, and {key noun} for
 * the value and the noun, in the plural unless the value is 1. The key is one of report/fields/fields.c. */
void plb_report_say(const struct plb_report *report, const char *text, FILE *out);

#endif
