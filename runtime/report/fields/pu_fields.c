/* The rows of PUs and of their curves. */
#include "report/fields/fields.h"

#include "report/fields/field_row.h"

#define R2_MEANING \
    "Coefficient of determination of that fit. 1 is perfect; below 0 the curve fits worse than the mean of " \
    "the times does; 0 where nothing was measured."

static struct plb_value text(const char *of)
{
    return (struct plb_value){.type = PLB_VALUE_TEXT, .text = of};
}

static struct plb_value kind(const struct plb_report *report, const void *record)
{
    static const char *const names[] = {
        [PLB_CPU] = "cpu", [PLB_GPU] = "gpu", [PLB_ACCELERATOR] = "accelerator"};
    const struct plb_report_pu *pu = record;
    (void)report;
    return text(names[pu->kind]);
}

static struct plb_value share(const struct plb_report *report, const void *record)
{
    const struct plb_report_pu *pu = record;
    double all = 0.0; /* of lost and repeated passes, too: parts of what the job has would be more than all */
    for (int p = 0; p < report->n_pus; p++)
        all += (double)report->pus[p].units;
    return (struct plb_value){.type = PLB_VALUE_REAL,
                              .real = all > 0.0 ? 100.0 * (double)pu->units / all : 0.0};
}

/* The object that a curve is; none where nothing was measured. */
static struct plb_value object_of(const struct plb_report_curve *curve)
{
    enum plb_value_type type = curve->n_terms > 0 ? PLB_VALUE_OBJECT : PLB_VALUE_NONE;
    return (struct plb_value){.type = type, .whole = 1, .list = curve};
}

static struct plb_value last_curve(const struct plb_report *report, const void *record)
{
    (void)report;
    return object_of(&((const struct plb_report_pu *)record)->curve);
}

static struct plb_value phase_curve(const struct plb_report *report, const void *record)
{
    (void)report;
    return object_of(record);
}

static struct plb_value terms(const struct plb_report *report, const void *record)
{
    const struct plb_report_curve *curve = record;
    (void)report;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = curve->n_terms, .list = curve->terms};
}

static struct plb_value samples(const struct plb_report *report, const void *record)
{
    const struct plb_report_curve *curve = record;
    (void)report;
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = curve->n_samples, .list = curve->samples};
}

static struct plb_value phases(const struct plb_report *report, const void *record)
{
    const struct plb_report_pu *pu = record;
    if (report->curves == NULL)
        return (struct plb_value){.type = PLB_VALUE_LEFT_OUT};
    const struct plb_report_curve *first = &report->curves[(pu - report->pus) * report->n_phases];
    return (struct plb_value){.type = PLB_VALUE_LIST, .whole = report->n_phases, .list = first};
}

const struct plb_report_field plb_pu_fields[] = {
    {"id", PLB_UNIT_NONE, PU(id), COLUMN("PU", 3), .meaning = "Number of the PU in the run, from 0."},
    {"node", PLB_UNIT_NONE, PU(node), COLUMN("node", 4), .meaning = "Its node, which is its MPI rank."},
    {"host", PLB_UNIT_NONE, PU(host), COLUMN("host", -15), .meaning = "Name of its host."},
    {"name", PLB_UNIT_NONE, PU(name), COLUMN("name", -18),
     .meaning = "Its model, or its name in the .cluster file."},
    {"kind", PLB_UNIT_NONE, GET(kind, PLB_VALUE_TEXT), .choices = "cpu|gpu|accelerator", COLUMN("kind", -5),
     .meaning = "`cpu`, `gpu` or `accelerator`."},
    {"threads", PLB_UNIT_COUNT, PU(threads),
     .meaning = "Threads that execute its tasks; 1 for a GPU, 0 in a simulation."},
    {"units", PLB_UNIT_OF_APP, PU(units), COLUMN(NULL, 12),
     .meaning = "Units that it executed, in all passes. A unit counts once in each, and again in one that is "
                "computed again."},
    {NULL, PLB_UNIT_PERCENT, GET(share, PLB_VALUE_REAL), COLUMN("share", 7),
     .meaning = "The same in percent of the units that all PUs executed."},
    {"blocks", PLB_UNIT_COUNT, PU(blocks), COLUMN("blocks", 8), .meaning = "Blocks that it was granted."},
    {"tasks", PLB_UNIT_COUNT, PU(tasks), .meaning = "Tasks that it executed."},
    {"busy_s", PLB_UNIT_SECONDS, PU(busy_s), COLUMN("busy", 10),
     .meaning = "Time in which it executed tasks, or moved data and executed nothing."},
    {"transfer_s", PLB_UNIT_SECONDS, PU(transfer_s),
     .meaning = "The part of `busy_s` in which it moved data."},
    {"idle_s", PLB_UNIT_SECONDS, PU(idle_s), COLUMN("idle", 10),
     .meaning = "The makespan less `busy_s`; so also the time after a PU has failed."},
    {"cpu_s", PLB_UNIT_SECONDS, PU(cpu_s),
     .meaning = "Time that its threads were on cores; of an emulated PU, the time that its tasks should have "
                "taken. 0 where nobody knows."},
    {"waited_s", PLB_UNIT_SECONDS, PU(waited_s),
     .meaning = "Time that its threads waited for a core, since other programs or threads had it. Of an "
                "emulated PU, as far as its tasks took longer."},
    {"core_share", PLB_UNIT_FRACTION, PU_OR_UNKNOWN(core_share),
     .meaning = "The part of its cores that it had: `cpu_s` over the sum of both; null where nobody knows."},
    {"static_j", PLB_UNIT_JOULES, PU_OR_UNKNOWN(static_j),
     .meaning = "Its static watts, for as long as `energy.static` says; null where unmeasured."},
    {"dynamic_j", PLB_UNIT_JOULES, PU_OR_UNKNOWN(dynamic_j),
     .meaning = "Its dynamic watts over the time of its tasks and their copies; null where unmeasured."},
    {"meter", PLB_UNIT_NONE, PU(meter), .choices = "cluster|unmeasured",
     .meaning = "Where these joules come from: the watts of a .cluster file, or nowhere."},
    {"work", PLB_UNIT_NONE, PU(work),
     .meaning = "Work that it did, in units of average cost; units that others had done first count, too."},
    {"power", PLB_UNIT_NONE, PU(power),
     .meaning = "Its computing power as given, or a guess from its hardware; only ratios matter."},
    {"work_share", PLB_UNIT_FRACTION, PU(work_share), .meaning = "Its part of the work of all PUs."},
    {"rate_share", PLB_UNIT_FRACTION, PU(rate_share),
     .meaning =
         "Its part of the rates of all PUs, without the starts of tasks: of the work, it would have this "
         "part in the ideal run. 0 where nobody knows its rate."},
    {"starts_s", PLB_UNIT_SECONDS, PU(starts_s),
     .meaning =
         "What its tasks took beyond their work, by a line through their times. 0 where units differ too "
         "much to tell."},
    {"training_s", PLB_UNIT_SECONDS, PU(training_s),
     .meaning = "The part of the training in which it executed nothing."},
    {"imbalance_s", PLB_UNIT_SECONDS, PU(imbalance_s),
     .meaning = "Time that it waited at the ends of passes before the last task of the pass began."},
    {"tail_s", PLB_UNIT_SECONDS, PU(tail_s),
     .meaning = "Time that it waited at the ends of passes while the last task ran."},
    {"solving_s", PLB_UNIT_SECONDS, PU(solving_s),
     .meaning = "Time that it waited for work while the master solved; 0 where no trace was kept."},
    {"held_up_s", PLB_UNIT_SECONDS, PU(held_up_s),
     .meaning =
         "Time that others waited for it at the ends of passes: the sum of `imbalance_s` and `tail_s` of "
         "those that waited."},
    {"longest_s", PLB_UNIT_SECONDS, PU(longest_s),
     .meaning = "Time of executing its longest task, or of short ones that it told of together."},
    {"longest_first", PLB_UNIT_NONE, PU(longest_first), .meaning = "The first unit of that task."},
    {"longest_units", PLB_UNIT_OF_APP, PU(longest_units), .meaning = "How many units it had."},
    {"watts_idle", PLB_UNIT_NONE, PU_OR_UNKNOWN(watts_idle),
     .meaning = "Watts of its domain while nobody works, its part of them; null where unmeasured."},
    {"watts_busy", PLB_UNIT_NONE, PU_OR_UNKNOWN(watts_busy),
     .meaning = "Its watts while it works, with `watts_idle`; null where unmeasured."},
    {"watts_origin", PLB_UNIT_NONE, PU(watts_origin), .choices = "told|measured|unmeasured",
     .meaning = "Where watts come from: a .cluster file, meters while the job ran, or nowhere."},
    {"stolen_in", PLB_UNIT_OF_APP, PU(stolen_in), .meaning = "Units granted to another PU that it executed."},
    {"stolen_out", PLB_UNIT_OF_APP, PU(stolen_out),
     .meaning = "Units granted to it that another PU executed."},
    {"wrong", PLB_UNIT_COUNT, PU(wrong),
     .meaning = "Audited tasks in which its result was the wrong one, as a third PU said."},
    {"rate", PLB_UNIT_RATE, PU(rate), COLUMN(NULL, 11),
     .meaning = "Units per second of executing, without `transfer_s`; 0 where it executed none."},
    {"curve", PLB_UNIT_NONE, GET(last_curve, PLB_VALUE_OBJECT), .or_unknown = true,
     LIST_OF(plb_fit_fields, struct plb_report_curve),
     .meaning = "Fitted curve of the phase that ran last: the seconds that it executes x units of average "
                "cost. Null where nothing was measured."},
    {"r2", PLB_UNIT_NONE, PU(curve.r2), .meaning = R2_MEANING},
    {"work_rate", PLB_UNIT_NONE, PU_OR_UNKNOWN(work_rate),
     .meaning = "Units of average cost per second of its time, without what tasks take beyond their work. "
                "Null where nothing was measured."},
    {"start_s", PLB_UNIT_SECONDS, PU_OR_UNKNOWN(start_s),
     .meaning = "The seconds of a task beyond its work, by the line through its times; null as before."},
    {"refused", PLB_UNIT_NONE, PU(refused),
     .meaning = "Whether the PU was not used because its memory is too small."},
    {"left_out", PLB_UNIT_NONE, PU(left_out),
     .meaning = "Whether it was left out when the last pass ended, since others do it with less energy."},
    {"failure", PLB_UNIT_NONE, PU_OR_UNKNOWN(failed),
     .meaning = "Why the PU was used no more, as its device or its node said; null where nothing failed."},
    {"unused", PLB_UNIT_NONE, PU_OR_UNKNOWN(unused),
     .meaning = "Why the PU executed nothing, in a few words; null where it executed units."},
    {"phases", PLB_UNIT_COUNT, GET(phases, PLB_VALUE_LIST), .or_left_out = true,
     LIST_OF(plb_curve_fields, struct plb_report_curve),
     .meaning = "Its curves, one for each phase; left out where the kernel has one phase."},
    {.meaning = NULL},
};

const struct plb_report_field plb_curve_fields[] = {
    {"phase", PLB_UNIT_NONE, CURVE(phase), .meaning = "Name of the phase."},
    {"curve", PLB_UNIT_NONE, GET(phase_curve, PLB_VALUE_OBJECT), .or_unknown = true,
     LIST_OF(plb_fit_fields, struct plb_report_curve),
     .meaning = "Fitted curve of this phase; null where nothing was measured."},
    {"r2", PLB_UNIT_NONE, CURVE(r2), .meaning = R2_MEANING},
    {.meaning = NULL},
};

const struct plb_report_field plb_fit_fields[] = {
    {"text", PLB_UNIT_NONE, CURVE(text), .meaning = "The curve for people, rounded."},
    {"terms", PLB_UNIT_COUNT, GET(terms, PLB_VALUE_LIST), LIST_OF(plb_term_fields, struct plb_report_term),
     .meaning = "The curve for programs: the sum of these terms with u = x / `scale`, in seconds."},
    {"scale", PLB_UNIT_OF_APP, CURVE(scale), .meaning = "Units of average cost by which x is divided."},
    {"low", PLB_UNIT_OF_APP, CURVE(low),
     .meaning = "Smallest size that was measured, in units of average cost. Below it the sum does not hold."},
    {"high", PLB_UNIT_OF_APP, CURVE(high),
     .meaning = "Largest size that was measured. Above it the sum does not hold."},
    {"samples", PLB_UNIT_COUNT, GET(samples, PLB_VALUE_LIST),
     LIST_OF(plb_sample_fields, struct plb_report_sample),
     .meaning = "Some of the tasks that the curve was fitted to; fewer where there are many PUs."},
    {.meaning = NULL},
};
