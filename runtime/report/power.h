/* Watts over time, of all that a run knows: of meters, by the windows that nodes have told, and of PUs whose
 * watts a .cluster file tells, by the times at which they had tasks. For the trace and the page. */
#ifndef PLB_REPORT_POWER_H
#define PLB_REPORT_POWER_H

#include "report/report.h"
#include "report/trace.h"

/* From `at` on, until the next step; NAN: nobody knows. */
struct plb_power_step {
    double at, watts;
};

/* One thing that draws power. Its joules are those of the report; texts are borrowed from it, or constant. */
struct plb_power_curve {
    char domain[PLB_NAME + 16]; /* "package-0", "PU 3 gpu-small" */
    const char *host, *meter;   /* meter: "perf", "the .cluster file" */
    const char *group;          /* of things that are alike: the kind of the domain, or the PU's name */
    int node;
    double resolution_j; /* or NAN: there is no counter */
    double joules;
    bool counted; /* it adds up with others that are counted, and contains none of them */
    int n_steps;  /* the last one ends the curve */
    struct plb_power_step *steps;
};

struct plb_power {
    double begin, end; /* of the run, by its trace; end = begin: there is none */
    int n;
    struct plb_power_curve *curves;
};

/* Curves of what is measured, and of PUs whose watts are told. Without a trace there is none. O(events ·
 * log events). To be freed by plb_power_fini. */
void plb_power_find(const struct plb_report *report, const struct plb_trace *trace, struct plb_power *power);
void plb_power_fini(struct plb_power *power);

/* The joules of a curve between two times, by its steps; unknown ones have none. *known_s: the seconds of
 * those that are known. `from`: the step to begin at, which is moved on. */
double plb_power_between(const struct plb_power_curve *curve, double begin, double end, int *from,
                         double *known_s);

#endif
