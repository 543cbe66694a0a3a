/* One table of what a report says. The JSON report, the summary, the chart and docs/reference/report-keys.md
 * are all written from it: a new field is a member of a struct in report.h and one row here. */
#ifndef PLB_REPORT_FIELDS_FIELDS_H
#define PLB_REPORT_FIELDS_FIELDS_H

#include "report/report.h"

/* The unit of a number. It decides how people see the number; JSON has the number as it is. */
enum plb_field_unit {
    PLB_UNIT_NONE,
    PLB_UNIT_COUNT,
    PLB_UNIT_SECONDS,
    PLB_UNIT_BYTES,
    PLB_UNIT_JOULES,
    PLB_UNIT_OF_APP, /* rows, columns: what the application calls its units */
    PLB_UNIT_RATE,   /* of these, per second */
    PLB_UNIT_PERCENT,
    PLB_UNIT_FRACTION, /* of 1; people see percent */
    PLB_UNIT_RATIO,
};

enum plb_value_type {
    PLB_VALUE_NONE,     /* this run has no such value: null in JSON */
    PLB_VALUE_LEFT_OUT, /* JSON leaves the key out */
    PLB_VALUE_FLAG,
    PLB_VALUE_WHOLE,
    PLB_VALUE_REAL,
    PLB_VALUE_TEXT,
    PLB_VALUE_LIST,
    PLB_VALUE_OBJECT,
};

/* The value of a field; the type says which members count. Text and list are borrowed from the report. */
struct plb_value {
    enum plb_value_type type;
    int64_t whole; /* a whole number; a flag as 0 or 1; how many records a list has */
    double real;
    const char *text;
    const void *list; /* the first record; of an object the only one */
};

/* Makes a value that no member of a struct holds as it is. `record` is the run, the PU or the curve; `report`
 * is the run that it belongs to. */
typedef struct plb_value (*plb_value_fn)(const struct plb_report *report, const void *record);

/* C types of members; PLB_MEMBER_NONE: the field has a function instead. */
enum plb_member_type {
    PLB_MEMBER_NONE,
    PLB_MEMBER_INT,
    PLB_MEMBER_INT64,
    PLB_MEMBER_DOUBLE,
    PLB_MEMBER_BOOL,
    PLB_MEMBER_POINTER, /* to text */
    PLB_MEMBER_ARRAY,   /* of char */
};

/* A row. */
struct plb_report_field {
    const char *key; /* in JSON; NULL: only the summary shows the field */
    enum plb_field_unit unit;
    enum plb_value_type type; /* of its values; `get` may also say NONE or LEFT_OUT, as said below */
    enum plb_member_type member;
    size_t offset;                         /* of the member in the record */
    bool or_unknown;                       /* it may have no value: a member that is NAN or NULL has none */
    bool or_left_out;                      /* `get` may say LEFT_OUT */
    const char *choices;                   /* of a text, as "a|b|c"; NULL: any */
    plb_value_fn get;                      /* where there is no member */
    const struct plb_report_field *fields; /* of an object, or of the records of a list */
    size_t record_bytes;                   /* of one of them */
    const char *meaning;                   /* one or two sentences */
    const char *heading;                   /* of its column in the summary; NULL: the unit's name */
    int width;                             /* of that column; negative: aligned to the left; 0: no column */
};

/* The tables, in the order of the JSON report; the last row of each has no meaning (NULL). */
extern const struct plb_report_field plb_run_fields[];     /* records are struct plb_report */
extern const struct plb_report_field plb_pu_fields[];      /* records are struct plb_report_pu */
extern const struct plb_report_field plb_goal_fields[];    /* records are struct plb_report_goal */
extern const struct plb_report_field plb_term_fields[];    /* records are struct plb_report_term */
extern const struct plb_report_field plb_fit_fields[];     /* records are struct plb_report_curve */
extern const struct plb_report_field plb_curve_fields[];   /* records are struct plb_report_curve */
extern const struct plb_report_field plb_meter_fields[];   /* records are struct plb_report_meter */
extern const struct plb_report_field plb_sample_fields[];  /* records are struct plb_report_sample */
extern const struct plb_report_field plb_cost_fields[];    /* records are struct plb_report_cost */
extern const struct plb_report_field plb_aside_fields[];   /* records are struct plb_report_aside */
extern const struct plb_report_field plb_regrant_fields[]; /* records are struct plb_report_regrant */
extern const struct plb_report_field plb_traffic_fields[]; /* records are struct plb_report_traffic */
extern const struct plb_report_field plb_loss_fields[];    /* records are struct plb_report_loss */
extern const struct plb_report_field plb_setting_fields[]; /* records are struct plb_report_setting */
extern const struct plb_report_field plb_change_fields[];  /* records are struct plb_report_change */
extern const struct plb_report_field plb_phase_fields[];   /* records are struct plb_report_phase */

struct plb_value plb_field_value(const struct plb_report_field *field, const struct plb_report *report,
                                 const void *record);

/* The row of a run's field, or NULL. */
const struct plb_report_field *plb_run_field(const char *key);

#endif
