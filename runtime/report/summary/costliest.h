/* The task whose units took far longer than others, where the kernel tells no costs. */
#ifndef PLB_REPORT_SUMMARY_COSTLIEST_H
#define PLB_REPORT_SUMMARY_COSTLIEST_H

#include "report/report.h"

struct plb_costliest {
    int64_t first, count; /* units */
    double part;          /* of all work, if its PU was as fast in it as in its other tasks */
};

/* Finds it by the longest task of the PU that others waited for. Returns whether there is one, and it is more
 * work than the part of a PU. Of a kernel of several phases nothing is told. A PU that stood still in a task
 * looks the same. Thread-safe. */
bool plb_costliest_find(const struct plb_report *report, struct plb_costliest *costliest);

#endif
