/* What a run did: filled in by the drivers, shown as a summary for people and as JSON. */
#ifndef PLB_REPORT_REPORT_H
#define PLB_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "plb/balancer.h"

#define PLB_CURVE_TEXT 160

/* A PU's curve of one phase. */
struct plb_report_curve {
    const char *phase;          /* its name; borrowed */
    char curve[PLB_CURVE_TEXT];
    double r2;
};

struct plb_report_pu {
    int id, node;
    char host[32], name[32];
    enum plb_pu_kind kind;
    int64_t units, blocks, tasks;
    double busy_s;              /* executing, and moving data as far as that was not hidden */
    double transfer_s;          /* the second part of it */
    double idle_s;              /* makespan - busy */
    int64_t stolen_in, stolen_out; /* units */
    double rate;                /* units per second while executing; 0 where none was executed */
    char curve[PLB_CURVE_TEXT]; /* F_p as text, of the phase that ran last; "" where nothing was measured */
    double r2;
    bool refused;               /* too little memory */
};

enum plb_verified { PLB_NOT_VERIFIED, PLB_RIGHT, PLB_WRONG };

struct plb_report {
    const char *app, *unit, *balancer, *mode; /* borrowed */
    bool migration;
    int nodes, passes, n_pus;
    int64_t units;              /* of one pass */
    double makespan_s, bound_s, profile_s, solve_s;
    double optimum_s;           /* simulation: the best fixed distribution, by the true curves; else 0 */
    int64_t solves;
    double balancing_ratio;     /* longest over shortest busy time of the PUs that worked */
    double idle_pct;            /* mean over all PUs */
    int64_t messages, bytes_moved, migrations, migrated_units;
    double largest_unit;        /* its part of all work by the kernel's costs; 0 = not known */
    double slowest_answer_s;    /* longest that a node waited for another's answer to "have you work?" */
    int profiles_used;          /* PUs that began with an earlier run's measurements, to the end */
    int profiles_dropped;       /* PUs whose first blocks contradicted theirs */
    enum plb_verified verified;
    struct plb_report_pu *pus;
    int n_phases;               /* of the kernel */
    struct plb_report_curve *curves; /* where there are several: n_phases of each PU, PU by PU; else NULL */
};

/* Computes idle times, balancing_ratio and idle_pct from the rest. */
void plb_report_derive(struct plb_report *report);

/* One line per PU and one for the run. */
void plb_report_summary(const struct plb_report *report, FILE *out);

/* The line for the run alone, without its newline. */
void plb_report_line(const struct plb_report *report, FILE *out);

/* The JSON object of the design, under a temporary name, then renamed. */
int plb_report_write(const struct plb_report *report, const char *file, struct plb_error *err);

void plb_report_fini(struct plb_report *report);

/* Seconds for people: "1.23 s", "45.6 ms"; returns `text`. */
char *plb_seconds_print(double seconds, char text[16]);

#endif
