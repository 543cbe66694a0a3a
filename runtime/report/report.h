/* What a run did. The drivers fill the structs in; report/fields.c says what each member means to readers,
 * and summary, JSON and chart show them. */
#ifndef PLB_REPORT_REPORT_H
#define PLB_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "plb/balancer.h"

#define PLB_CURVE_TEXT 160 /* bytes of a curve as text, with its end; a longer one is cut */

/* A PU's curve of one phase. */
struct plb_report_curve {
    const char *phase; /* borrowed */
    char curve[PLB_CURVE_TEXT];
    double r2;
};

struct plb_report_pu {
    int id, node;
    char host[32], name[32];
    enum plb_pu_kind kind;
    int64_t units, blocks, tasks;
    double busy_s, transfer_s; /* transfer_s is a part of busy_s */
    double idle_s;             /* derived */
    int64_t stolen_in, stolen_out;
    double rate;                /* derived */
    char curve[PLB_CURVE_TEXT]; /* of the phase that ran last */
    double r2;
    double work_rate, start_s; /* of that curve; or NAN: unknown */
    bool refused;
};

/* Units that are next to each other, and the mean cost of one. */
struct plb_report_cost {
    int64_t first, count;
    double cost;
};

enum plb_run_mode { PLB_REAL_RUN, PLB_SIMULATED };
enum plb_verified { PLB_NOT_VERIFIED, PLB_RIGHT, PLB_WRONG };

/* A zeroed struct is a report of nothing. */
struct plb_report {
    const char *app, *unit, *balancer; /* borrowed */
    enum plb_run_mode mode;
    bool migration;
    bool costs_told; /* by the kernel, in every phase */
    bool replayed;   /* a simulation with the costs of a real run */
    int nodes, passes, n_pus;
    int64_t units;
    double makespan_s, profile_s, solve_s;
    double bound_s;                            /* or NAN, as the next ones: unknown */
    double cost_spread, least_cost, most_cost; /* of tasks, beyond what was told */
    double optimum_s;                          /* of a simulation only */
    int64_t solves;
    double balancing_ratio, idle_pct; /* derived */
    int64_t messages, bytes_moved, migrations, migrated_units;
    int64_t backups, backups_won, backup_units;
    double largest_unit, slowest_answer_s;
    int profiles_used, profiles_dropped;
    enum plb_verified verified;
    struct plb_report_pu *pus;       /* n_pus of them */
    int n_costs;                     /* 0: not known */
    struct plb_report_cost *costs;   /* of all units, in order */
    int n_phases;                    /* of the kernel */
    struct plb_report_curve *curves; /* n_phases of each PU, PU by PU; NULL where the kernel has one phase */
};

/* Computes the derived members from the others. */
void plb_report_derive(struct plb_report *report);

/* Frees the arrays of PUs and curves. */
void plb_report_fini(struct plb_report *report);

#endif
