/* The rows of PUs and of their curves. */
#include "report/fields/fields.h"

#include "report/fields/field_row.h"

#define R2_MEANING "How well the curve fits: 1 is perfect, below 0 worse than a mean time. 0 if not measured."

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
    {"id", PLB_UNIT_NONE, PU(id), COLUMN("PU", 3), .meaning = "Its number, from 0."},
    {"node", PLB_UNIT_NONE, PU(node), COLUMN("node", 4), .meaning = "Its MPI rank."},
    {"host", PLB_UNIT_NONE, PU(host), COLUMN("host", -15), .meaning = "Name of its host."},
    {"name", PLB_UNIT_NONE, PU(name), COLUMN("name", -18),
     .meaning = "Its model, or name in the .cluster file."},
    {"kind", PLB_UNIT_NONE, GET(kind, PLB_VALUE_TEXT), .choices = "cpu|gpu|accelerator", COLUMN("kind", -5),
     .meaning = "`cpu`, `gpu` or `accelerator`."},
    {"threads", PLB_UNIT_COUNT, PU(threads), .meaning = "Its threads; 1 for a GPU, 0 in a simulation."},
    {"units", PLB_UNIT_OF_APP, PU(units), COLUMN(NULL, 12),
     .meaning = "Units executed in all passes, repeated ones included."},
    {NULL, PLB_UNIT_PERCENT, GET(share, PLB_VALUE_REAL), COLUMN("share", 7),
     .meaning = "The same in percent of the units that all PUs executed."},
    {"blocks", PLB_UNIT_COUNT, PU(blocks), COLUMN("blocks", 8), .meaning = "Blocks granted to it."},
    {"tasks", PLB_UNIT_COUNT, PU(tasks), .meaning = "Tasks that it executed."},
    {"busy_s", PLB_UNIT_SECONDS, PU(busy_s), COLUMN("busy", 10),
     .meaning = "Time in which it executed tasks, or waited for copies that no execution hides."},
    {"transfer_s", PLB_UNIT_SECONDS, PU(transfer_s), .meaning = "The part of `busy_s` that was copies."},
    {"copied_in", PLB_UNIT_BYTES, PU(copied_in), .meaning = "Bytes copied to its own memory; 0 for a CPU."},
    {"copied_out", PLB_UNIT_BYTES, PU(copied_out), .meaning = "Bytes copied from its own memory."},
    {"locking_s", PLB_UNIT_SECONDS, PU(locking_s),
     .meaning = "Time of its thread to lock pages for these copies."},
    {"idle_s", PLB_UNIT_SECONDS, PU(idle_s), COLUMN("idle", 10), .meaning = "The makespan minus `busy_s`."},
    {"cpu_s", PLB_UNIT_SECONDS, PU(cpu_s),
     .meaning = "Time of its threads on cores; of an emulated PU, the time that its tasks should have "
                "taken. 0 if unknown."},
    {"waited_s", PLB_UNIT_SECONDS, PU(waited_s),
     .meaning = "Time that its threads waited for a core that others used; of an emulated PU, the delay of "
                "its tasks."},
    {"core_share", PLB_UNIT_FRACTION, PU_OR_UNKNOWN(core_share),
     .meaning = "`cpu_s` over `cpu_s` plus `waited_s`."},
    {"static_j", PLB_UNIT_JOULES, PU_OR_UNKNOWN(static_j),
     .meaning = "Joules of its static watts, as `energy.static` says."},
    {"dynamic_j", PLB_UNIT_JOULES, PU_OR_UNKNOWN(dynamic_j), .meaning = "Joules of its dynamic watts."},
    {"meter", PLB_UNIT_NONE, PU(meter), .choices = "cluster|unmeasured",
     .meaning = "Source of these joules: the watts of a .cluster file, or none."},
    {"work", PLB_UNIT_NONE, PU(work),
     .meaning = "Work in units of average cost, with units that others did first."},
    {"power", PLB_UNIT_NONE, PU(power), .meaning = "Given computing power, or a guess; only ratios matter."},
    {"work_share", PLB_UNIT_FRACTION, PU(work_share), .meaning = "Its share of all work."},
    {"rate_share", PLB_UNIT_FRACTION, PU(rate_share),
     .meaning = "Its share of the total rate. 0 if unknown."},
    {"starts_s", PLB_UNIT_SECONDS, PU(starts_s),
     .meaning = "Time of its tasks beyond their work, by a line through their times; 0 if unit costs vary "
                "too much."},
    {"training_s", PLB_UNIT_SECONDS, PU(training_s),
     .meaning = "Training time in which it executed nothing."},
    {"imbalance_s", PLB_UNIT_SECONDS, PU(imbalance_s),
     .meaning = "Waits at the ends of passes, before the last task began."},
    {"tail_s", PLB_UNIT_SECONDS, PU(tail_s),
     .meaning = "Waits at the ends of passes, while the last task ran."},
    {"solving_s", PLB_UNIT_SECONDS, PU(solving_s),
     .meaning = "Waits for work while the master solved; 0 without a trace."},
    {"others_waited_s", PLB_UNIT_SECONDS, PU(others_waited_s),
     .meaning = "`imbalance_s` and `tail_s` of others that waited for this PU."},
    {"longest_s", PLB_UNIT_SECONDS, PU(longest_s),
     .meaning = "Its longest task, or short ones reported together."},
    {"longest_first", PLB_UNIT_NONE, PU(longest_first), .meaning = "The first unit of that task."},
    {"longest_units", PLB_UNIT_OF_APP, PU(longest_units), .meaning = "Units of that task."},
    {"watts_idle", PLB_UNIT_NONE, PU_OR_UNKNOWN(watts_idle), .meaning = "Its part of a domain's idle watts."},
    {"watts_busy", PLB_UNIT_NONE, PU_OR_UNKNOWN(watts_busy),
     .meaning = "Its watts at work, `watts_idle` included."},
    {"watts_origin", PLB_UNIT_NONE, PU(watts_origin), .choices = "given|measured|unmeasured",
     .meaning = "Source of watts: a .cluster file, meters during the run, or none."},
    {"stolen_in", PLB_UNIT_OF_APP, PU(stolen_in), .meaning = "Units of other PUs that it executed."},
    {"stolen_out", PLB_UNIT_OF_APP, PU(stolen_out), .meaning = "Its units that other PUs executed."},
    {"wrong", PLB_UNIT_COUNT, PU(wrong),
     .meaning = "Audited tasks in which a third PU showed that its result was wrong."},
    {"rate", PLB_UNIT_RATE, PU(rate), COLUMN(NULL, 11),
     .meaning = "Units per second of execution, without `transfer_s`."},
    {"curve", PLB_UNIT_NONE, GET(last_curve, PLB_VALUE_OBJECT), .or_unknown = true,
     LIST_OF(plb_fit_fields, struct plb_report_curve),
     .meaning = "Curve of the last phase: seconds for x units of average cost."},
    {"r2", PLB_UNIT_NONE, PU(curve.r2), .meaning = R2_MEANING},
    {"work_rate", PLB_UNIT_NONE, PU_OR_UNKNOWN(work_rate),
     .meaning = "Units of average cost per second, without starts."},
    {"start_s", PLB_UNIT_SECONDS, PU_OR_UNKNOWN(start_s), .meaning = "Seconds of a task beyond its work."},
    {"refused", PLB_UNIT_NONE, PU(refused), .meaning = "Whether its memory was too small."},
    {"left_out", PLB_UNIT_NONE, PU(left_out),
     .meaning = "Whether it was left out at the end, because others need less energy."},
    {"failure", PLB_UNIT_NONE, PU_OR_UNKNOWN(failed), .meaning = "Why it failed, or null."},
    {"unused", PLB_UNIT_NONE, PU_OR_UNKNOWN(unused), .meaning = "Why it executed nothing, or null."},
    {"phases", PLB_UNIT_COUNT, GET(phases, PLB_VALUE_LIST), .or_left_out = true,
     LIST_OF(plb_curve_fields, struct plb_report_curve),
     .meaning = "Its curves, one per phase; absent if the kernel has one phase."},
    {.meaning = NULL},
};

const struct plb_report_field plb_curve_fields[] = {
    {"phase", PLB_UNIT_NONE, CURVE(phase), .meaning = "Name of the phase."},
    {"curve", PLB_UNIT_NONE, GET(phase_curve, PLB_VALUE_OBJECT), .or_unknown = true,
     LIST_OF(plb_fit_fields, struct plb_report_curve), .meaning = "Curve of this phase."},
    {"r2", PLB_UNIT_NONE, CURVE(r2), .meaning = R2_MEANING},
    {.meaning = NULL},
};

const struct plb_report_field plb_fit_fields[] = {
    {"text", PLB_UNIT_NONE, CURVE(text), .meaning = "The curve as text, rounded."},
    {"terms", PLB_UNIT_COUNT, GET(terms, PLB_VALUE_LIST), LIST_OF(plb_term_fields, struct plb_report_term),
     .meaning = "The curve in seconds is their sum, with u = x / `scale`."},
    {"scale", PLB_UNIT_OF_APP, CURVE(scale), .meaning = "Units of average cost by which x is divided."},
    {"low", PLB_UNIT_OF_APP, CURVE(low),
     .meaning = "Smallest measured size, below which the sum does not hold."},
    {"high", PLB_UNIT_OF_APP, CURVE(high),
     .meaning = "Largest measured size, above which the sum does not hold."},
    {"samples", PLB_UNIT_COUNT, GET(samples, PLB_VALUE_LIST),
     LIST_OF(plb_sample_fields, struct plb_report_sample),
     .meaning = "Some of the fitted tasks; fewer if there are many PUs."},
    {.meaning = NULL},
};
