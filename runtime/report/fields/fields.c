/* The rows, and the functions behind those that no member holds as JSON shows them. */
#include "report/fields/fields.h"

#include <math.h>
#include <string.h>

#include "base/version.h"
#include "report/fields/field_row.h"

/* The number behind `schema`: it grows when a key changes its meaning or goes, so that programs notice. */
#define SCHEMA 3

static struct plb_value text(const char *of)
{
    return (struct plb_value){.type = PLB_VALUE_TEXT, .text = of};
}

static struct plb_value schema(const struct plb_report *report, const void *record)
{
    (void)report, (void)record;
    return (struct plb_value){.type = PLB_VALUE_WHOLE, .whole = SCHEMA};
}

static struct plb_value version(const struct plb_report *report, const void *record)
{
    (void)report, (void)record;
    return text(PLB_VERSION);
}

static struct plb_value mode(const struct plb_report *report, const void *record)
{
    (void)record;
    return text(report->mode == PLB_SIMULATED ? "simulate" : "cluster");
}

static struct plb_value verified(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->verified != PLB_NOT_VERIFIED;
    return (struct plb_value){.type = known ? PLB_VALUE_FLAG : PLB_VALUE_NONE,
                              .whole = report->verified == PLB_RIGHT};
}

static struct plb_value ending(const struct plb_report *report, const void *record)
{
    static const char *const names[] = {[PLB_ENDED_WELL] = "done",
                                        [PLB_ENDED_FAILED] = "failed",
                                        [PLB_ENDED_INTERRUPTED] = "interrupted",
                                        [PLB_ENDED_WRONG] = "wrong"};
    (void)record;
    return text(names[report->ending]);
}

static struct plb_value error(const struct plb_report *report, const void *record)
{
    (void)record;
    return report->error != NULL ? text(report->error) : (struct plb_value){.type = PLB_VALUE_NONE};
}

static struct plb_value optimum(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->mode == PLB_SIMULATED;
    return (struct plb_value){.type = known ? PLB_VALUE_REAL : PLB_VALUE_NONE, .real = report->optimum_s};
}

static struct plb_value pus(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_pus, .list = report->pus};
}

static struct plb_value settings(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_settings, .list = report->settings};
}

static struct plb_value phase_times(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->phases != NULL;
    return (struct plb_value){
        .type = PLB_VALUE_LIST, .whole = known ? report->n_phases : 0, .list = report->phases};
}

static struct plb_value costs(const struct plb_report *report, const void *record)
{
    (void)record;
    if (report->costs == NULL)
        return (struct plb_value){.type = PLB_VALUE_LEFT_OUT};
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_costs, .list = report->costs};
}

static struct plb_value set_aside(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){
        .type = PLB_VALUE_LIST, .whole = report->n_set_aside, .list = report->set_aside};
}

static struct plb_value regrants(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_regrants, .list = report->regrants};
}

static struct plb_value meters(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_meters, .list = report->meters};
}

static struct plb_value goal(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_OBJECT, .whole = 1, .list = &report->goal};
}

static struct plb_value traffic(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_traffic, .list = report->traffic};
}

static struct plb_value losses(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->ideal_s > 0.0;
    return (struct plb_value){
        .type = PLB_VALUE_LIST, .whole = known ? PLB_LOSSES : 0, .list = report->losses};
}

static struct plb_value changes(const struct plb_report *report, const void *record)
{
    (void)record;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_changes, .list = report->changes};
}

static struct plb_value what_if_simulated(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->what_if_simulated_s > 0.0;
    return (struct plb_value){.type = known ? PLB_VALUE_REAL : PLB_VALUE_NONE,
                              .real = report->what_if_simulated_s};
}

static struct plb_value what_if_note(const struct plb_report *report, const void *record)
{
    (void)record;
    bool known = report->what_if_note[0] != '\0';
    return known ? text(report->what_if_note) : (struct plb_value){.type = PLB_VALUE_NONE};
}

const struct plb_report_field plb_run_fields[] = {
    {"schema", PLB_UNIT_NONE, GET(schema, PLB_VALUE_WHOLE), .meaning = "Version of this format."},
    {"version", PLB_UNIT_NONE, GET(version, PLB_VALUE_TEXT), .meaning = "Version of plbrun."},
    {"app", PLB_UNIT_NONE, RUN(app), .meaning = "Name of the kernel."},
    {"balancer", PLB_UNIT_NONE, RUN(balancer), .meaning = "Name of the balancer."},
    {"migration", PLB_UNIT_NONE, RUN(migration),
     .meaning = "Whether idle PUs could steal (`balance.migration`)."},
    {"mode", PLB_UNIT_NONE, GET(mode, PLB_VALUE_TEXT), .choices = "cluster|simulate",
     .meaning = "`cluster` for a real run, `simulate` for a simulation."},
    {"date", PLB_UNIT_NONE, RUN(date), .meaning = "Start, ISO 8601, UTC."},
    {"command", PLB_UNIT_NONE, RUN(command),
     .meaning = "Command line of rank 0, quoted for a shell, without a launcher."},
    {"seed", PLB_UNIT_NONE, RUN(seed), .meaning = "Random seed (`--seed`)."},
    {"settings", PLB_UNIT_COUNT, GET(settings, PLB_VALUE_LIST),
     LIST_OF(plb_setting_fields, struct plb_report_setting),
     .meaning = "Every setting, as `--show-config` prints it."},
    {"nodes", PLB_UNIT_COUNT, RUN(nodes), .meaning = "Nodes, each an MPI rank."},
    {"hosts", PLB_UNIT_COUNT, RUN(hosts),
     .meaning = "Hosts of these ranks; in a simulation each node is one."},
    {"units", PLB_UNIT_OF_APP, RUN(units), .meaning = "Units of one pass."},
    {"passes", PLB_UNIT_COUNT, RUN(passes),
     .meaning = "Passes that began; in a resumed run, without those that had ended."},
    {"passes_again", PLB_UNIT_COUNT, RUN(passes_again),
     .meaning = "Passes repeated after a loss; not in `passes`."},
    {"resumed", PLB_UNIT_NONE, RUN(resumed),
     .meaning = "Whether it continued from a journal (`--resume`). The report covers this run only."},
    {"resumed_pass", PLB_UNIT_NONE, RUN(resumed_pass),
     .meaning = "The pass in which it continued, from 1; else 0."},
    {"resumed_units", PLB_UNIT_OF_APP, RUN(resumed_units),
     .meaning = "Units of `resumed_pass` that were done before."},
    {"phase_times", PLB_UNIT_COUNT, GET(phase_times, PLB_VALUE_LIST),
     LIST_OF(plb_phase_fields, struct plb_report_phase), .meaning = "Passes and times per phase."},
    {"goal", PLB_UNIT_NONE, GET(goal, PLB_VALUE_OBJECT), LIST_OF(plb_goal_fields, struct plb_report_goal),
     .meaning = "Objective, limits and outcome."},
    {"makespan_s", PLB_UNIT_SECONDS, RUN(makespan_s),
     .meaning = "Time of all passes; virtual in a simulation."},
    {"elapsed_s", PLB_UNIT_SECONDS, RUN(elapsed_s),
     .meaning =
         "Time from the start of plbrun until results were written: the sum of `setup_s`, `makespan_s`, "
         "`between_s`, `ending_s`, `verify_s` and `write_s`. In a simulation all but the makespan are 0."},
    {"setup_s", PLB_UNIT_SECONDS, RUN(setup_s),
     .meaning = "Time before the first pass: MPI, `setup`, opening PUs."},
    {"between_s", PLB_UNIT_SECONDS, RUN(between_s),
     .meaning = "Time between passes, not in `makespan_s`: `next`, and sending of replicated inputs."},
    {"collect_s", PLB_UNIT_SECONDS, RUN(collect_s),
     .meaning = "Part of `makespan_s`: fetching results that had stayed at ranks."},
    {"again_s", PLB_UNIT_SECONDS, RUN(again_s),
     .meaning = "Part of `makespan_s` that is not in `phase_times`: repeated passes, and those that a loss "
                "broke off."},
    {"ending_s", PLB_UNIT_SECONDS, RUN(ending_s),
     .meaning = "Time after the last pass until all ranks had ended."},
    {"verify_s", PLB_UNIT_SECONDS, RUN(verify_s), .meaning = "Time of `--verify`."},
    {"write_s", PLB_UNIT_SECONDS, RUN(write_s),
     .meaning = "Time of `finish` and of writing results, without reports."},
    {"bound_s", PLB_UNIT_SECONDS, RUN_OR_UNKNOWN(bound_s),
     .meaning = "Makespan if work were divided perfectly: the [bound](../guide/run.md#read-the-summary). "
                "Null if a PU was not measured, unit costs vary too much to compare rates, or passes were "
                "repeated."},
    {"ideal_s", PLB_UNIT_SECONDS, RUN(ideal_s),
     .meaning = "Makespan without idle time, task starts and copies: the "
                "[ideal](../guide/report.md#the-verdict). Repeated passes are part of it. 0 if unknown."},
    {"parallel_efficiency", PLB_UNIT_FRACTION, RUN(parallel_efficiency),
     .meaning = "`ideal_s` over `makespan_s`: `load_balance` times `communication_efficiency`."},
    {"load_balance", PLB_UNIT_FRACTION, RUN(load_balance),
     .meaning = "Mean computing time of PUs, weighted by rates, over the longest."},
    {"communication_efficiency", PLB_UNIT_FRACTION, RUN(communication_efficiency),
     .meaning = "Longest computing time of a PU over the makespan."},
    {"losses", PLB_UNIT_COUNT, GET(losses, PLB_VALUE_LIST), LIST_OF(plb_loss_fields, struct plb_report_loss),
     .meaning = "Parts of `makespan_s` minus `ideal_s`."},
    {"advice", PLB_UNIT_NONE, RUN_OR_UNKNOWN(advice),
     .meaning = "The setting that would probably help most; null if none is known."},
    {"what_if", PLB_UNIT_COUNT, GET(changes, PLB_VALUE_LIST),
     LIST_OF(plb_change_fields, struct plb_report_change),
     .meaning = "Changes to the run and their simulated times."},
    {"what_if_simulated_s", PLB_UNIT_SECONDS, GET(what_if_simulated, PLB_VALUE_REAL), .or_unknown = true,
     .meaning = "Simulated time of the run as it was."},
    {"what_if_passes", PLB_UNIT_COUNT, RUN(what_if_passes),
     .meaning = "Passes that were simulated; others count as the shortest of these."},
    {"what_if_note", PLB_UNIT_NONE, GET(what_if_note, PLB_VALUE_TEXT), .or_unknown = true,
     .meaning = "Why there are no changes; null if there are some, or the run failed."},
    {"profile_s", PLB_UNIT_SECONDS, RUN(profile_s),
     .meaning = "Training: time until every PU had a curve; 0 without training."},
    {"solves", PLB_UNIT_COUNT, RUN(solves),
     .meaning = "How often the balancer solved for equal finish times."},
    {"solve_s", PLB_UNIT_SECONDS, RUN(solve_s),
     .meaning = "Time of solving; real time even in a simulation."},
    {"balancing_ratio", PLB_UNIT_RATIO, RUN(balancing_ratio),
     .meaning = "Longest over shortest busy time of PUs that worked and did not fail; 1 is perfect."},
    {"idle_pct", PLB_UNIT_PERCENT, RUN(idle_pct),
     .meaning = "Mean idle time of PUs that could work and did not fail, over the makespan."},
    {"failed_pus", PLB_UNIT_COUNT, RUN(failed_pus), .meaning = "PUs that failed, or whose rank was lost."},
    {"messages", PLB_UNIT_COUNT, RUN(messages), .meaning = "Control messages of all ranks."},
    {"replicated_bytes", PLB_UNIT_BYTES, RUN(replicated_bytes),
     .meaning = "Replicated inputs, sent before the first pass. In `received` of each node but rank 0, "
                "unless it reads files or shares memory."},
    {"bytes_moved", PLB_UNIT_BYTES, RUN(bytes_moved),
     .meaning = "Inputs, results and replicated data sent between ranks."},
    {"traffic", PLB_UNIT_COUNT, GET(traffic, PLB_VALUE_LIST),
     LIST_OF(plb_traffic_fields, struct plb_report_traffic), .meaning = "Messages and bytes per node."},
    {"migrations", PLB_UNIT_COUNT, RUN(migrations),
     .meaning = "Gifts of queued units from one node to another."},
    {"migrated_units", PLB_UNIT_OF_APP, RUN(migrated_units),
     .meaning = "Units granted to one node and executed by another, without those of backups."},
    {"backups", PLB_UNIT_COUNT, RUN(backups), .meaning = "Late ranges that an idle PU re-executed."},
    {"backups_won", PLB_UNIT_COUNT, RUN(backups_won), .meaning = "Backups whose results came first."},
    {"backup_units", PLB_UNIT_OF_APP, RUN(backup_units), .meaning = "Units in backups."},
    {"regrants", PLB_UNIT_COUNT, GET(regrants, PLB_VALUE_LIST),
     LIST_OF(plb_regrant_fields, struct plb_report_regrant),
     .meaning = "Ranges of units that were granted a second time; the first 10000."},
    {"sets_handed", PLB_UNIT_COUNT, RUN(sets_handed), .meaning = "Sets of reduced arrays sent along a tree."},
    {"sets_to_rank0", PLB_UNIT_COUNT, RUN(sets_to_rank0), .meaning = "Sets that rank 0 received."},
    {"audited", PLB_UNIT_COUNT, RUN(audited), .meaning = "Tasks that two PUs computed (`run.audit`)."},
    {"audit_differences", PLB_UNIT_COUNT, RUN(audit_differences),
     .meaning = "Audited tasks whose results differed."},
    {"damaged", PLB_UNIT_COUNT, RUN(damaged),
     .meaning = "Transfers that arrived damaged and were repeated (`run.checksums`)."},
    {"set_aside_units", PLB_UNIT_OF_APP, RUN(set_aside_units),
     .meaning = "Units without a result, because tasks with them crashed; counted once."},
    {"set_aside", PLB_UNIT_COUNT, GET(set_aside, PLB_VALUE_LIST),
     LIST_OF(plb_aside_fields, struct plb_report_aside),
     .meaning = "Ranges of these units, by pass and unit."},
    {"energy_j", PLB_UNIT_JOULES, RUN_OR_UNKNOWN(energy_j),
     .meaning = "Energy, by meters or the watts of a .cluster file; null if a part is unmeasured."},
    {"measured_j", PLB_UNIT_JOULES, RUN_OR_UNKNOWN(measured_j), .meaning = "Energy of measured parts."},
    {"meters", PLB_UNIT_COUNT, GET(meters, PLB_VALUE_LIST),
     LIST_OF(plb_meter_fields, struct plb_report_meter),
     .meaning = "Meters of all hosts, or why a host has none."},
    {"slowest_answer_s", PLB_UNIT_SECONDS, RUN(slowest_answer_s),
     .meaning = "Longest wait for the answer to a steal; 0 in a simulation."},
    {"largest_unit", PLB_UNIT_FRACTION, RUN(largest_unit),
     .meaning = "Share of the most expensive unit in all work, by given costs; 0 if unknown."},
    {"cost_spread", PLB_UNIT_FRACTION, RUN_OR_UNKNOWN(cost_spread),
     .meaning = "How much units differ beyond given costs: the relative standard deviation of task times for "
                "their PU and size. Null if no PU reported three times."},
    {"least_cost", PLB_UNIT_RATIO, RUN_OR_UNKNOWN(least_cost),
     .meaning = "Time of the cheapest of these tasks over that mean."},
    {"most_cost", PLB_UNIT_RATIO, RUN_OR_UNKNOWN(most_cost),
     .meaning = "As `least_cost`, for the most expensive."},
    {"profiles_used", PLB_UNIT_COUNT, RUN(profiles_used),
     .meaning = "PUs that started from a profile and kept it."},
    {"profiles_dropped", PLB_UNIT_COUNT, RUN(profiles_dropped),
     .meaning = "PUs whose first blocks contradicted their profile."},
    {"verified", PLB_UNIT_NONE, GET(verified, PLB_VALUE_FLAG), .or_unknown = true,
     .meaning = "Whether `--verify` found no difference; null without it."},
    {"status", PLB_UNIT_NONE, GET(ending, PLB_VALUE_TEXT),
     .meaning = "`done`, `failed`, `interrupted` by a signal, or `wrong`: an audit or `--verify` found a "
                "difference."},
    {"error", PLB_UNIT_NONE, GET(error, PLB_VALUE_TEXT), .or_unknown = true,
     .meaning = "Why the run did not end well; null if it did."},
    {"optimum_s", PLB_UNIT_SECONDS, GET(optimum, PLB_VALUE_REAL), .or_unknown = true,
     .meaning = "Time of the best fixed distribution by the true curves, without noise; null in a real run."},
    {"pus", PLB_UNIT_COUNT, GET(pus, PLB_VALUE_LIST), LIST_OF(plb_pu_fields, struct plb_report_pu),
     .meaning = "The PUs, ordered by `id`."},
    {"costs", PLB_UNIT_COUNT, GET(costs, PLB_VALUE_LIST), .or_left_out = true,
     LIST_OF(plb_cost_fields, struct plb_report_cost),
     .meaning = "Unit costs by task times, for `--replay`; absent if the kernel has several phases."},
    {.meaning = NULL},
};

struct plb_value plb_field_value(const struct plb_report_field *field, const struct plb_report *report,
                                 const void *record)
{
    struct plb_value value = {.type = field->type};
    const void *at = (const char *)record + field->offset;
    switch (field->member) {
    case PLB_MEMBER_NONE: return field->get(report, record);
    case PLB_MEMBER_INT: value.whole = *(const int *)at; break;
    case PLB_MEMBER_INT64: value.whole = *(const int64_t *)at; break;
    case PLB_MEMBER_DOUBLE:
        value.real = *(const double *)at;
        value.type = field->or_unknown && isnan(value.real) ? PLB_VALUE_NONE : value.type;
        break;
    case PLB_MEMBER_BOOL: value.whole = *(const bool *)at; break;
    case PLB_MEMBER_POINTER:
        value.text = *(const char *const *)at;
        value.type = field->or_unknown && value.text == NULL ? PLB_VALUE_NONE : value.type;
        break;
    case PLB_MEMBER_ARRAY: value.text = at; break;
    }
    return value;
}

const struct plb_report_field *plb_run_field(const char *key)
{
    const struct plb_report_field *field = plb_run_fields;
    while (field->meaning != NULL && (field->key == NULL || strcmp(field->key, key) != 0))
        field++;
    return field->meaning != NULL ? field : NULL;
}
