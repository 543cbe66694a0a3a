/* The account of a run. The drivers fill the structs in; report/fields/fields.c says what each member means
 * to readers, and summary, JSON and chart show them. */
#ifndef PLB_REPORT_REPORT_H
#define PLB_REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/name.h"
#include "model/curve.h"
#include "model/energy/power_job.h"
#include "plb/balancer.h"

#define PLB_ADVICE_TEXT 240 /* bytes of an advice, with its end */
#define PLB_CHANGE_TEXT 96  /* bytes of a change to a run as text, with its end */
#define PLB_CURVE_TEXT 160  /* bytes of a curve as text, with its end; a longer one is cut */

/* One term of a curve: `seconds` times a function of u. */
struct plb_report_term {
    const char *term; /* borrowed */
    double seconds;
};

/* A task that was measured: its work, in units of average cost, and the seconds that it executed. */
struct plb_report_sample {
    double work, seconds;
};

/* A PU's curve of one phase, with u = x / scale. No terms: nothing was measured. */
struct plb_report_curve {
    const char *phase; /* borrowed */
    char text[PLB_CURVE_TEXT];
    int n_terms;
    struct plb_report_term terms[PLB_TERMS];
    double scale, low, high; /* work */
    double r2;
    int n_samples;
    struct plb_report_sample *samples; /* of those that were measured last, some */
};

struct plb_report_pu {
    int id, node;
    char host[PLB_HOST_NAME], name[PLB_NAME];
    enum plb_pu_kind kind;
    double power; /* as given, or a guess; only ratios matter */
    int64_t units, blocks, tasks;
    int64_t in_vain;           /* units executed after others had done them */
    int64_t wrong;             /* audited tasks in which its result was the wrong one */
    double busy_s, transfer_s; /* transfer_s is a part of busy_s */
    double idle_s;             /* derived */
    double cpu_s, waited_s;    /* of its threads on cores, and for one that others had; zeros: not known */
    int64_t copied_in, copied_out; /* bytes to and from its own memory */
    double locking_s;              /* that its thread locked pages for these copies */
    double core_share;             /* derived: of the first in both; or NAN */
    double work;                   /* that it did, in units of average cost; 0: nobody has counted it */
    double work_share;             /* derived by report/losses.h: of the work of all, as the next one */
    double rate_share;             /* of the rates of all, without the starts of tasks; 0: unknown */
    double starts_s;               /* that its tasks took beyond their work */
    double imbalance_s, tail_s;    /* that it waited at the ends of passes */
    double others_waited_s;        /* that others waited so for it */
    double longest_s;              /* of its longest task, or of short ones that it told of together */
    int64_t longest_first, longest_units;
    double training_s; /* that it waited while others were in training */
    double solving_s;  /* that it waited while the master solved; 0 without a trace */
    int64_t stolen_in, stolen_out;
    double rate;                   /* derived */
    double static_j, dynamic_j;    /* energy; or NAN: unmeasured */
    const char *meter;             /* derived: where they come from */
    double watts_idle, watts_busy; /* busy: while it works, with the idle ones; or NAN: unmeasured */
    const char *watts_origin;      /* borrowed: given, measured or unmeasured */
    struct plb_report_curve curve; /* of the phase that ran last */
    double work_rate, start_s;     /* of that curve; or NAN: unknown */
    double unit_s, unit_late_s;    /* what one unit is believed to take, and at most; or NAN: unknown */
    bool unit_seen;                /* its own reports tell that, now or in earlier runs; else it is a guess */
    int threads;
    bool refused;
    bool left_out;      /* when the last pass ended: others did its work with less energy */
    char failure[80];   /* why it was used no more; "" where nothing failed */
    const char *failed; /* derived: the same, or NULL */
    const char *unused; /* derived: why it executed nothing; NULL where it did something */
};

/* Units that are next to each other, and the mean cost of one. */
struct plb_report_cost {
    int64_t first, count;
    double cost;
};

/* Units that have no result, since tasks with them crashed. PUs and ranks: -1 = there was none. */
struct plb_report_aside {
    int64_t first, count;
    int pass;
    const char *phase, *signal; /* borrowed */
    int crashes;                /* of tasks with them */
    bool nobody;                /* nobody was left to try them again */
    int pu, rank;               /* of the latest crash */
    int earlier_pu, earlier_rank;
};

/* Units that were granted a second time. PUs: -1 = nobody knows. */
struct plb_report_regrant {
    int64_t first, count;
    int pass, first_pu, second_pu;
    const char *reason; /* borrowed */
};

/* Control messages, and bytes of data, that a node sent to others; and the bytes that it received. */
struct plb_report_traffic {
    int node;
    char host[PLB_HOST_NAME];
    int64_t messages, bytes, received;
};

/* Time that a run has lost; see report/losses.h. */
struct plb_report_loss {
    const char *name; /* borrowed */
    double seconds;   /* of the makespan */
    int pu, node;     /* whose it is, for the greatest part: a PU, or the PUs of a node; -1: all */
    double part;      /* of the makespan, which that PU, or a PU of that node, has lost */
    char advice[PLB_ADVICE_TEXT]; /* "" where none is known */
};
#define PLB_LOSSES 10 /* kinds of losses */

/* A change to the run, and the time that it would have taken then, as the simulator says. */
struct plb_report_change {
    char change[PLB_CHANGE_TEXT];
    double predicted_s, ratio; /* ratio: to the run; or NAN, both: not simulated */
    const char *left_out;      /* borrowed: why not; NULL: it was */
    bool adds_nodes;           /* it needs more machines than the run had */
};

/* The joules of a meter, or why there is none of its kind on the host. */
struct plb_report_meter {
    int node;   /* rank that has read it */
    int number; /* of its domain, on this rank: windows of the trace have both */
    char host[PLB_HOST_NAME], domain[32], meter[12];
    const char *of;      /* borrowed: package, cores, memory, gpu, platform */
    double joules;       /* or NAN: not measured */
    double resolution_j; /* of the counter; or NAN: the power was integrated */
    double seconds;      /* for which it was read */
    bool counted;        /* derived: its joules are part of the sum */
    bool mirrors;        /* it shows the counter of another domain */
    char note[200];      /* why it is not measured, or how far it is to be believed; "": fully */
};

/* The objective of the run, and whether its limits were kept. Zeros: least time, without limits. */
struct plb_report_goal {
    enum plb_objective objective_is;
    enum plb_static_rule rule;
    const char *objective;    /* derived: time, energy or edp */
    double deadline_s;        /* of each pass; 0 or NAN: none */
    double longest_pass_s;    /* derived */
    const char *deadline;     /* derived: none, met or late */
    double power_cap_w;       /* 0 or NAN: none */
    double most_w;            /* watts of all PUs that worked, once each had been tried; 0 or NAN: never */
    double learning_w;        /* that meters showed at most while watts were learned; 0 or NAN: told */
    int unmeasured;           /* derived: PUs whose watts are not known, under a cap */
    const char *cap;          /* derived: none, kept, over, unmeasured or untried */
    int left_out;             /* derived: PUs */
    double saved_j, longer_s; /* by leaving them out; or NAN: not known */
};

enum plb_run_mode { PLB_REAL_RUN, PLB_SIMULATED };
enum plb_verified { PLB_NOT_VERIFIED, PLB_RIGHT, PLB_WRONG };

/* How a run ended, as its exit status says, and whether a signal ended it. */
enum plb_ending { PLB_ENDED_WELL, PLB_ENDED_FAILED, PLB_ENDED_INTERRUPTED, PLB_ENDED_WRONG };

/* One setting of the run. Texts are borrowed; `value` and `origin` are NULL where it was not set. */
struct plb_report_setting {
    const char *section, *key, *value, *origin;
};

/* The passes of one phase; see plb_report_add_pass. */
struct plb_report_phase {
    const char *phase; /* its name, borrowed */
    int passes;
    double time_s, shortest_s, longest_s; /* all of them together; one pass */
};

struct plb_front_page;

/* A zeroed struct is a report of nothing. */
struct plb_report {
    const char *app, *unit, *balancer; /* borrowed */
    const char *command;               /* borrowed, as a shell reads it */
    char date[32];                     /* when the run began, as in ISO 8601 */
    int64_t seed;
    enum plb_run_mode mode;
    bool migration;
    bool costs_given; /* by the kernel, in every phase */
    bool emulated;    /* a real run whose PUs a .cluster file describes: it has their watts */
    bool replayed;    /* a simulation with the costs of a real run */
    int nodes, hosts, passes, n_pus;
    int passes_again; /* beside `passes`: begun again, since what they had computed was lost */
    double again_s;   /* of the makespan, for these, and for passes that a loss broke */
    int64_t units;
    double makespan_s, between_s, profile_s, solve_s;
    double setup_s, collect_s; /* before the first pass; of the makespan, to fetch what stayed at ranks */
    double ending_s;           /* from the last pass until all ranks have ended */
    double verify_s, write_s;  /* after that */
    double elapsed_s;          /* derived: all of it; 0, as the last six, in a simulation */
    double bound_s;            /* or NAN, as the next ones: unknown */
    double cost_spread, least_cost, most_cost; /* of tasks, beyond what was told */
    double cost_apart;                         /* part of the time by which tasks differed from it */
    double optimum_s;                          /* of a simulation only */
    double ideal_s;                            /* derived by report/losses.h, as the next ones */
    double parallel_efficiency, load_balance, communication_efficiency;
    struct plb_report_loss losses[PLB_LOSSES];
    const char *advice; /* derived: of these, the one that helps most; NULL: none */
    int64_t solves;
    double balancing_ratio, idle_pct; /* derived, of the PUs that did not fail */
    int failed_pus;                   /* derived */
    int64_t messages, bytes_moved, migrations, migrated_units;
    int64_t backups, backups_won, backup_units;
    int64_t sets_handed, sets_to_rank0;
    int64_t audited, audit_differences, damaged;
    double largest_unit, slowest_answer_s;
    double replicated_bytes; /* that each node got before the run: not part of the makespan */
    bool resumed;            /* the run went on from the journal of one that broke */
    int resumed_pass;        /* in this pass, from 1 */
    int64_t resumed_units;   /* of that pass, which were accepted before */
    int profiles_used, profiles_dropped;
    enum plb_verified verified;
    enum plb_ending ending;
    const char *error;             /* borrowed; NULL: none */
    struct plb_report_pu *pus;     /* n_pus of them */
    int n_costs;                   /* 0: not known */
    struct plb_report_cost *costs; /* of all units, in order */
    int64_t set_aside_units;       /* not again in later passes of the phase */
    int n_set_aside;
    struct plb_report_aside *set_aside; /* in the order of passes and units */
    int n_regrants;
    struct plb_report_regrant *regrants; /* in the order in which they were granted */
    struct plb_report_goal goal;
    const struct plb_front_page *front; /* borrowed: of time and energy; NULL: not known, or not wanted */
    double energy_j;                    /* derived; or NAN: not all hosts were measured */
    double measured_j;                  /* derived: of those that were; or NAN: none was */
    int n_meters;
    struct plb_report_meter *meters; /* by rank */
    int n_phases;                    /* of the kernel */
    struct plb_report_curve *curves; /* n_phases of each PU, PU by PU; NULL where the kernel has one phase */
    struct plb_report_phase *phases; /* n_phases of them */
    int n_traffic;
    struct plb_report_traffic *traffic; /* by node; NULL: not counted */
    int n_settings;
    struct plb_report_setting *settings;
    int n_changes; /* that were thought of; 0: none */
    struct plb_report_change *changes;
    double what_if_simulated_s; /* of the run as it was, by the simulator; 0: it was not simulated */
    int what_if_passes;         /* that it simulated, of all changes alike */
    char what_if_note[120];     /* why there are no changes; "": there are some, or nobody asked */
};

/* Units that the run had to execute, each counted once in each pass. */
int64_t plb_report_units(const struct plb_report *report);

/* The part of its cores that a PU had; NAN where nobody knows. */
double plb_core_share(const struct plb_report_pu *pu);

/* Whether the thing that a meter stands for is not measured, by it or by the meter of its host's platform.
 * Memory and cores that have no meter are not missed. */
bool plb_report_misses(const struct plb_report *report, const struct plb_report_meter *meter);

/* Computes the derived members from the others. Of a host, packages, memory and GPUs count; where none of
 * these is measured, the platform does. */
void plb_report_derive(struct plb_report *report);

/* Computes elapsed_s, when everything has ended. */
void plb_report_elapse(struct plb_report *report);

/* Adds one pass to those of its phase. */
void plb_report_add_pass(struct plb_report_phase *phase, double seconds);

/* Frees the arrays. */
void plb_report_fini(struct plb_report *report);

#endif
