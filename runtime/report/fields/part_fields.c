/* The rows of the records that a report has several of, and whose members JSON shows as they are. */
#include "report/fields/fields.h"

#include "report/fields/field_row.h"

const struct plb_report_field plb_goal_fields[] = {
    {"objective", PLB_UNIT_NONE, GOAL(objective), .choices = "time|energy|edp",
     .meaning = "The quantity to minimize (`balance.objective`)."},
    {"deadline_s", PLB_UNIT_SECONDS, GOAL(deadline_s), .or_unknown = true,
     .meaning = "Limit of each pass (`balance.deadline`); null without one."},
    {"longest_pass_s", PLB_UNIT_SECONDS, GOAL(longest_pass_s), .meaning = "Time of the longest pass."},
    {"deadline", PLB_UNIT_NONE, GOAL(deadline), .choices = "none|met|late",
     .meaning = "Whether all passes kept the limit."},
    {"power_cap_w", PLB_UNIT_NONE, GOAL(power_cap_w), .or_unknown = true,
     .meaning = "Limit of all PUs (`balance.power_cap`), in watts; null without one."},
    {"most_w", PLB_UNIT_NONE, GOAL(most_w), .or_unknown = true,
     .meaning =
         "Most watts of the chosen PUs, static ones included. Null before all were tried, and if all work."},
    {"learning_w", PLB_UNIT_NONE, GOAL(learning_w), .or_unknown = true,
     .meaning = "Most watts while watts were learned; null if all were given."},
    {"cap", PLB_UNIT_NONE, GOAL(cap), .choices = "none|kept|over|unmeasured|untried",
     .meaning = "Whether `most_w` kept the limit; `untried` if the run ended too early."},
    {"left_out", PLB_UNIT_COUNT, GOAL(left_out), .meaning = "PUs that were left out at the end."},
    {"saved_j", PLB_UNIT_JOULES, GOAL(saved_j), .or_unknown = true,
     .meaning = "Joules saved compared with all PUs at work; null if a rate is unknown."},
    {"longer_s", PLB_UNIT_SECONDS, GOAL(longer_s), .or_unknown = true,
     .meaning = "Seconds lost compared with all PUs at work; null as `saved_j`."},
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
    {"seconds", PLB_UNIT_SECONDS, SAMPLE(seconds), .meaning = "Execution time."},
    {.meaning = NULL},
};

const struct plb_report_field plb_cost_fields[] = {
    {"first", PLB_UNIT_NONE, COST(first), .meaning = "The first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, COST(count), .meaning = "Units in the range."},
    {"cost", PLB_UNIT_RATIO, COST(cost), .meaning = "Mean cost of a unit; the mean of all units is 1."},
    {.meaning = NULL},
};

const struct plb_report_field plb_aside_fields[] = {
    {"first", PLB_UNIT_NONE, ASIDE(first), .meaning = "The first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, ASIDE(count), .meaning = "Units in the range."},
    {"pass", PLB_UNIT_NONE, ASIDE(pass), .meaning = "The pass, from 1."},
    {"phase", PLB_UNIT_NONE, ASIDE(phase), .meaning = "Name of its phase."},
    {"signal", PLB_UNIT_NONE, ASIDE(signal), .meaning = "The signal that ended the latest task with them."},
    {"crashes", PLB_UNIT_COUNT, ASIDE(crashes), .meaning = "Crashes with them in this pass."},
    {"nobody", PLB_UNIT_NONE, ASIDE(nobody), .meaning = "Whether no other rank was left to try them."},
    {"pu", PLB_UNIT_NONE, ASIDE(pu), .meaning = "`id` of the PU of the latest task with them."},
    {"rank", PLB_UNIT_NONE, ASIDE(rank), .meaning = "Rank of that PU."},
    {"earlier_pu", PLB_UNIT_NONE, ASIDE(earlier_pu),
     .meaning = "`id` of the PU of the task before; -1 if there was none."},
    {"earlier_rank", PLB_UNIT_NONE, ASIDE(earlier_rank),
     .meaning = "Rank of `earlier_pu`; -1 if there was none."},
    {.meaning = NULL},
};

const struct plb_report_field plb_regrant_fields[] = {
    {"first", PLB_UNIT_NONE, REGRANT(first), .meaning = "The first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, REGRANT(count), .meaning = "Units in the range."},
    {"pass", PLB_UNIT_NONE, REGRANT(pass), .meaning = "The pass, from 1."},
    {"first_pu", PLB_UNIT_NONE, REGRANT(first_pu),
     .meaning = "`id` of the first PU; -1 for a `lost result`."},
    {"second_pu", PLB_UNIT_NONE, REGRANT(second_pu), .meaning = "`id` of the second PU."},
    {"reason", PLB_UNIT_NONE, REGRANT(reason),
     .choices = "backup|audit|lost rank|lost result|failed PU|crash|damaged|overwritten|partly new",
     .meaning = "One of these [reasons](../guide/report.md#units-that-were-granted-twice)."},
    {.meaning = NULL},
};

const struct plb_report_field plb_meter_fields[] = {
    {"rank", PLB_UNIT_NONE, METER(node), .meaning = "Rank that read it."},
    {"host", PLB_UNIT_NONE, METER(host), .meaning = "Name of its host."},
    {"domain", PLB_UNIT_NONE, METER(domain),
     .meaning = "The measured thing, such as package-0; empty without a meter."},
    {"of", PLB_UNIT_NONE, METER(of), .choices = "package|cores|memory|gpu|platform|other",
     .meaning = "Its kind. Cores are part of their package; a platform contains all others."},
    {"meter", PLB_UNIT_NONE, METER(meter), .meaning = "perf, powercap, hwmon or nvml; empty as above."},
    {"joules", PLB_UNIT_JOULES, METER(joules), .or_unknown = true,
     .meaning = "Joules from the start of its rank to the end of the last pass."},
    {"resolution_j", PLB_UNIT_JOULES, METER(resolution_j), .or_unknown = true,
     .meaning = "Resolution of its counter; null if power was integrated."},
    {"seconds", PLB_UNIT_SECONDS, METER(seconds), .meaning = "Time for which it was read."},
    {"counted", PLB_UNIT_NONE, METER(counted),
     .meaning = "Whether its joules count for the run. Cores and duplicates do not; a platform only if its "
                "host has no other meter."},
    {"note", PLB_UNIT_NONE, METER(note), .meaning = "Why it is unmeasured, or limits of its accuracy."},
    {.meaning = NULL},
};

const struct plb_report_field plb_traffic_fields[] = {
    {"node", PLB_UNIT_NONE, TRAFFIC(node), .meaning = "Its MPI rank."},
    {"host", PLB_UNIT_NONE, TRAFFIC(host), .meaning = "Name of its host."},
    {"messages", PLB_UNIT_COUNT, TRAFFIC(messages), .meaning = "Control messages that it sent."},
    {"bytes", PLB_UNIT_BYTES, TRAFFIC(bytes), .meaning = "Inputs and results that it sent."},
    {"received", PLB_UNIT_BYTES, TRAFFIC(received), .meaning = "Inputs and results that it received."},
    {.meaning = NULL},
};

const struct plb_report_field plb_loss_fields[] = {
    {"name", PLB_UNIT_NONE, LOSS(name),
     .choices = "task starts|training|imbalance|copies not hidden|page locks|master|waits for "
                "work|tail|re-execution|"
                "failures",
     .meaning = "Its kind ([reports](../guide/report.md#losses))."},
    {"seconds", PLB_UNIT_SECONDS, LOSS(seconds),
     .meaning = "Its seconds on each PU, weighted by the PU's share of the total rate."},
    {"pu", PLB_UNIT_NONE, LOSS(pu), .meaning = "`id` of the PU that caused most of it; -1 if there is none."},
    {"node", PLB_UNIT_NONE, LOSS(node),
     .meaning = "Rank of that PU, or of PUs that caused it together; else -1."},
    {"part", PLB_UNIT_FRACTION, LOSS(part), .meaning = "Part of the makespan that such a PU lost."},
    {"advice", PLB_UNIT_NONE, LOSS(advice), .meaning = "Setting that would probably help, or empty."},
    {.meaning = NULL},
};

const struct plb_report_field plb_change_fields[] = {
    {"change", PLB_UNIT_NONE, CHANGE(change), .meaning = "The change, such as `with balancer sure`."},
    {"predicted_s", PLB_UNIT_SECONDS, CHANGE(predicted_s), .or_unknown = true,
     .meaning = "`ratio` times the time of the run."},
    {"ratio", PLB_UNIT_RATIO, CHANGE(ratio), .or_unknown = true,
     .meaning = "Simulated time with the change over that without."},
    {"left_out", PLB_UNIT_NONE, CHANGE(left_out), .or_unknown = true,
     .meaning = "Why it was not simulated; null if it was."},
    {.meaning = NULL},
};

const struct plb_report_field plb_setting_fields[] = {
    {"section", PLB_UNIT_NONE, SETTING(section), .meaning = "Its section."},
    {"key", PLB_UNIT_NONE, SETTING(key), .meaning = "Name of the key."},
    {"value", PLB_UNIT_NONE, SETTING(value), .or_unknown = true,
     .meaning = "Its value as text; null if not set."},
    {"origin", PLB_UNIT_NONE, SETTING(origin), .or_unknown = true,
     .meaning = "File and line, variable, `command line` or `default`; null without a value."},
    {.meaning = NULL},
};

const struct plb_report_field plb_phase_fields[] = {
    {"phase", PLB_UNIT_NONE, PHASE(phase), .meaning = "Name of the phase, or of the kernel if it has none."},
    {"passes", PLB_UNIT_COUNT, PHASE(passes), .meaning = "Passes that ended."},
    {"time_s", PLB_UNIT_SECONDS, PHASE(time_s), .meaning = "Their total time."},
    {"shortest_s", PLB_UNIT_SECONDS, PHASE(shortest_s), .meaning = "The shortest."},
    {"longest_s", PLB_UNIT_SECONDS, PHASE(longest_s), .meaning = "The longest."},
    {.meaning = NULL},
};
