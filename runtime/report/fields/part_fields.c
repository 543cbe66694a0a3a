/* The rows of the records that a report has several of, and whose members JSON shows as they are. */
#include "report/fields/fields.h"

#include "report/fields/field_row.h"

const struct plb_report_field plb_goal_fields[] = {
    {"objective", PLB_UNIT_NONE, GOAL(objective), .choices = "time|energy|edp",
     .meaning = "What was to be least (`balance.objective`)."},
    {"deadline_s", PLB_UNIT_SECONDS, GOAL(deadline_s), .or_unknown = true,
     .meaning = "Time that each pass may take (`balance.deadline`); null where there is no limit."},
    {"longest_pass_s", PLB_UNIT_SECONDS, GOAL(longest_pass_s), .meaning = "Time of the longest pass."},
    {"deadline", PLB_UNIT_NONE, GOAL(deadline), .choices = "none|met|late",
     .meaning = "Whether all passes that ended kept the limit."},
    {"power_cap_w", PLB_UNIT_NONE, GOAL(power_cap_w), .or_unknown = true,
     .meaning = "Watts that the PUs together may draw (`balance.power_cap`); null where there is no limit."},
    {"most_w", PLB_UNIT_NONE, GOAL(most_w), .or_unknown = true,
     .meaning = "Most watts of the PUs that were to work, with the static watts that count, once all PUs had "
                "been tried. Null before that, and where all PUs work."},
    {"learning_w", PLB_UNIT_NONE, GOAL(learning_w), .or_unknown = true,
     .meaning = "Most watts that meters showed while watts were learned, and PUs had turns. Null where all "
                "watts were told."},
    {"cap", PLB_UNIT_NONE, GOAL(cap), .choices = "none|kept|over|unmeasured|untried",
     .meaning =
         "Whether `most_w` kept the limit; `unmeasured` where the watts of a PU are not known; `untried` "
         "where the run ended before each PU was tried."},
    {"left_out", PLB_UNIT_COUNT, GOAL(left_out), .meaning = "PUs that were left out in the end."},
    {"saved_j", PLB_UNIT_JOULES, GOAL(saved_j), .or_unknown = true,
     .meaning = "Joules that this saved beside all PUs at work, by the rates that were learned. Null where a "
                "rate is not known."},
    {"longer_s", PLB_UNIT_SECONDS, GOAL(longer_s), .or_unknown = true,
     .meaning = "Seconds by which it made the run longer, in the same way."},
    {.meaning = NULL},
};

const struct plb_report_field plb_term_fields[] = {
    {"term", PLB_UNIT_NONE, TERM(term),
     .meaning = "A function of u: `1`, `u`, `u^2`, `u^3`, `e^u`, `ln u`, `u e^u` or `u ln u`."},
    {"seconds", PLB_UNIT_NONE, TERM(seconds), .meaning = "Factor of the function, in seconds."},
    {.meaning = NULL},
};

const struct plb_report_field plb_sample_fields[] = {
    {"work", PLB_UNIT_OF_APP, SAMPLE(work), .meaning = "Work of the task, in units of average cost."},
    {"seconds", PLB_UNIT_SECONDS, SAMPLE(seconds), .meaning = "Time that it executed."},
    {.meaning = NULL},
};

const struct plb_report_field plb_cost_fields[] = {
    {"first", PLB_UNIT_NONE, COST(first), .meaning = "The range's first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, COST(count), .meaning = "Units in the range."},
    {"cost", PLB_UNIT_RATIO, COST(cost), .meaning = "Mean cost of one of them; 1 is the mean of all units."},
    {.meaning = NULL},
};

const struct plb_report_field plb_aside_fields[] = {
    {"first", PLB_UNIT_NONE, ASIDE(first), .meaning = "The range's first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, ASIDE(count), .meaning = "Units in the range."},
    {"pass", PLB_UNIT_NONE, ASIDE(pass), .meaning = "The pass of the job, from 1."},
    {"phase", PLB_UNIT_NONE, ASIDE(phase), .meaning = "Name of its phase."},
    {"signal", PLB_UNIT_NONE, ASIDE(signal), .meaning = "The signal that ended the latest task with them."},
    {"crashes", PLB_UNIT_COUNT, ASIDE(crashes), .meaning = "Tasks with them that crashed in this pass."},
    {"nobody", PLB_UNIT_NONE, ASIDE(nobody),
     .meaning = "Whether they were set aside because no other rank was left to try them again."},
    {"pu", PLB_UNIT_NONE, ASIDE(pu), .meaning = "`id` of the PU of the latest of these tasks."},
    {"rank", PLB_UNIT_NONE, ASIDE(rank), .meaning = "Rank of that PU."},
    {"earlier_pu", PLB_UNIT_NONE, ASIDE(earlier_pu),
     .meaning = "`id` of the PU of the task before; -1 where there was none."},
    {"earlier_rank", PLB_UNIT_NONE, ASIDE(earlier_rank),
     .meaning = "Rank of that PU; -1 where there was none."},
    {.meaning = NULL},
};

const struct plb_report_field plb_meter_fields[] = {
    {"rank", PLB_UNIT_NONE, METER(node), .meaning = "Rank that has read it."},
    {"host", PLB_UNIT_NONE, METER(host), .meaning = "Name of its host."},
    {"domain", PLB_UNIT_NONE, METER(domain),
     .meaning =
         "The thing that is measured, such as package-0; empty: there is no meter for such things here."},
    {"of", PLB_UNIT_NONE, METER(of), .choices = "package|cores|memory|gpu|platform|other",
     .meaning = "Its kind. Cores are a part of their package, and a platform contains all others."},
    {"meter", PLB_UNIT_NONE, METER(meter),
     .meaning = "Where the joules come from: perf, powercap, hwmon or nvml; empty as above."},
    {"joules", PLB_UNIT_JOULES, METER(joules), .or_unknown = true,
     .meaning = "Joules from the start of the rank to the end of the last pass; null where they were not "
                "measured."},
    {"resolution_j", PLB_UNIT_JOULES, METER(resolution_j), .or_unknown = true,
     .meaning = "One count of its counter; null where it tells power alone, which was integrated."},
    {"seconds", PLB_UNIT_SECONDS, METER(seconds), .meaning = "Time for which it was read."},
    {"counted", PLB_UNIT_NONE, METER(counted),
     .meaning =
         "Whether its joules are part of the run's. Cores and mirrors are not, and a platform only where "
         "its host has no other meter."},
    {"note", PLB_UNIT_NONE, METER(note),
     .meaning = "Why it is not measured, or how far it is to be believed; empty where all is well."},
    {.meaning = NULL},
};

const struct plb_report_field plb_traffic_fields[] = {
    {"node", PLB_UNIT_NONE, TRAFFIC(node), .meaning = "The node, which is its MPI rank."},
    {"host", PLB_UNIT_NONE, TRAFFIC(host), .meaning = "Name of its host."},
    {"messages", PLB_UNIT_COUNT, TRAFFIC(messages), .meaning = "Control messages that it sent."},
    {"bytes", PLB_UNIT_BYTES, TRAFFIC(bytes), .meaning = "Inputs and results that it sent."},
    {"received", PLB_UNIT_BYTES, TRAFFIC(received), .meaning = "Inputs and results that it received."},
    {.meaning = NULL},
};

const struct plb_report_field plb_loss_fields[] = {
    {"name", PLB_UNIT_NONE, LOSS(name),
     .choices = "task starts|training|imbalance|copies not hidden|master|waits for work|tail|units done "
                "twice|failures",
     .meaning = "Its kind; docs/guide/report.md describes each."},
    {"seconds", PLB_UNIT_SECONDS, LOSS(seconds),
     .meaning = "Seconds of the makespan: those of each PU, weighted by its part in the rate of all."},
    {"pu", PLB_UNIT_NONE, LOSS(pu),
     .meaning =
         "`id` of the PU that lost most of it, or that others waited for; -1 where no single one did."},
    {"node", PLB_UNIT_NONE, LOSS(node),
     .meaning = "Rank of that PU, or of the PUs of one rank together; -1 where no single one did."},
    {"part", PLB_UNIT_FRACTION, LOSS(part),
     .meaning = "Part of the makespan which that PU, or a PU of that rank, has lost so."},
    {"advice", PLB_UNIT_NONE, LOSS(advice),
     .meaning = "What would probably help; empty where nothing is known."},
    {.meaning = NULL},
};

const struct plb_report_field plb_change_fields[] = {
    {"change", PLB_UNIT_NONE, CHANGE(change), .meaning = "The change, such as `with balancer sure`."},
    {"foretold_s", PLB_UNIT_SECONDS, CHANGE(foretold_s), .or_unknown = true,
     .meaning = "Time that the run would have taken with it: `ratio` times that of the run. Null where it "
                "was not simulated."},
    {"ratio", PLB_UNIT_RATIO, CHANGE(ratio), .or_unknown = true,
     .meaning = "Simulated time with the change over that of the run as it was; null as before."},
    {"left_out", PLB_UNIT_NONE, CHANGE(left_out), .or_unknown = true,
     .meaning = "Why it was not simulated; null where it was."},
    {.meaning = NULL},
};

const struct plb_report_field plb_setting_fields[] = {
    {"section", PLB_UNIT_NONE, SETTING(section), .meaning = "Section of the conf file that it belongs to."},
    {"key", PLB_UNIT_NONE, SETTING(key), .meaning = "Its key in that section."},
    {"value", PLB_UNIT_NONE, SETTING(value), .or_unknown = true,
     .meaning = "Its value as text; null where it was not set and has no default."},
    {"origin", PLB_UNIT_NONE, SETTING(origin), .or_unknown = true,
     .meaning = "Where the value comes from: file and line, an environment variable, `command line` or "
                "`default`; null as before."},
    {.meaning = NULL},
};

const struct plb_report_field plb_phase_fields[] = {
    {"phase", PLB_UNIT_NONE, PHASE(phase),
     .meaning = "Name of the phase; of the kernel where it has no phases."},
    {"passes", PLB_UNIT_COUNT, PHASE(passes), .meaning = "Passes of this phase that ended."},
    {"time_s", PLB_UNIT_SECONDS, PHASE(time_s), .meaning = "Time of these passes together."},
    {"shortest_s", PLB_UNIT_SECONDS, PHASE(shortest_s), .meaning = "Time of the shortest of them."},
    {"longest_s", PLB_UNIT_SECONDS, PHASE(longest_s), .meaning = "Time of the longest of them."},
    {.meaning = NULL},
};
