/* Macros for the rows of tables of fields. Include report/fields/fields.h before it. */
#ifndef PLB_REPORT_FIELDS_FIELD_ROW_H
#define PLB_REPORT_FIELDS_FIELD_ROW_H

#include <stddef.h>

/* A row takes two things from a member: its type and its place. The member's declaration decides the type. */
#define MEMBER(record, name) \
    .type = VALUE_OF(((record *)NULL)->name), .member = MEMBER_OF(((record *)NULL)->name), \
    .offset = offsetof(record, name)
#define VALUE_OF(member) \
    _Generic((member), bool: PLB_VALUE_FLAG, int: PLB_VALUE_WHOLE, int64_t: PLB_VALUE_WHOLE, \
             double: PLB_VALUE_REAL, const char *: PLB_VALUE_TEXT, char *: PLB_VALUE_TEXT)
#define MEMBER_OF(member) \
    _Generic((member), bool: PLB_MEMBER_BOOL, int: PLB_MEMBER_INT, int64_t: PLB_MEMBER_INT64, \
             double: PLB_MEMBER_DOUBLE, const char *: PLB_MEMBER_POINTER, char *: PLB_MEMBER_ARRAY)
#define RUN(name) MEMBER(struct plb_report, name)
#define RUN_OR_UNKNOWN(name) RUN(name), .or_unknown = true
#define PU(name) MEMBER(struct plb_report_pu, name)
#define PU_OR_UNKNOWN(name) PU(name), .or_unknown = true
#define COST(name) MEMBER(struct plb_report_cost, name)
#define TERM(name) MEMBER(struct plb_report_term, name)
#define SETTING(name) MEMBER(struct plb_report_setting, name)
#define PHASE(name) MEMBER(struct plb_report_phase, name)
#define ASIDE(name) MEMBER(struct plb_report_aside, name)
#define REGRANT(name) MEMBER(struct plb_report_regrant, name)
#define METER(name) MEMBER(struct plb_report_meter, name)
#define GOAL(name) MEMBER(struct plb_report_goal, name)
#define SAMPLE(name) MEMBER(struct plb_report_sample, name)
#define TRAFFIC(name) MEMBER(struct plb_report_traffic, name)
#define LOSS(name) MEMBER(struct plb_report_loss, name)
#define CHANGE(name) MEMBER(struct plb_report_change, name)
#define CURVE(name) MEMBER(struct plb_report_curve, name)
#define GET(function, value_type) .type = (value_type), .get = (function)
#define LIST_OF(table, record) .fields = (table), .record_bytes = sizeof(record)
#define COLUMN(name, columns) .heading = (name), .width = (columns)

#endif
