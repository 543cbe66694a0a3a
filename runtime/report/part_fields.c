/* The rows of the records that a report has several of, and whose members JSON shows as they are. */
#include "report/fields.h"

#include "report/field_row.h"

const struct plb_field plb_cost_fields[] = {
    {"first", PLB_UNIT_NONE, COST(first), .meaning = "The range's first unit, from 0."},
    {"count", PLB_UNIT_OF_APP, COST(count), .meaning = "Units in the range."},
    {"cost", PLB_UNIT_RATIO, COST(cost), .meaning = "Mean cost of one of them; 1 is the mean of all units."},
    {.meaning = NULL},
};

const struct plb_field plb_aside_fields[] = {
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

const struct plb_field plb_setting_fields[] = {
    {"section", PLB_UNIT_NONE, SETTING(section), .meaning = "Section of the conf file that it belongs to."},
    {"key", PLB_UNIT_NONE, SETTING(key), .meaning = "Its key in that section."},
    {"value", PLB_UNIT_NONE, SETTING(value), .or_unknown = true,
     .meaning = "Its value as text; null where it was not set and has no default."},
    {"origin", PLB_UNIT_NONE, SETTING(origin), .or_unknown = true,
     .meaning = "Where the value comes from: file and line, an environment variable, `command line` or "
                "`default`; null as before."},
    {.meaning = NULL},
};

const struct plb_field plb_phase_fields[] = {
    {"phase", PLB_UNIT_NONE, PHASE(phase),
     .meaning = "Name of the phase; of the kernel where it has no phases."},
    {"passes", PLB_UNIT_COUNT, PHASE(passes), .meaning = "Passes of this phase that ended."},
    {"time_s", PLB_UNIT_SECONDS, PHASE(time_s), .meaning = "Time of these passes together."},
    {"shortest_s", PLB_UNIT_SECONDS, PHASE(shortest_s), .meaning = "Time of the shortest of them."},
    {"longest_s", PLB_UNIT_SECONDS, PHASE(longest_s), .meaning = "Time of the longest of them."},
    {.meaning = NULL},
};
