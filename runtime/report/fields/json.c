/* Every key of the table in turn: this file knows values and lists, and no field by its name. */
#include "report/fields/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/fields/fields.h"
#include "report/json_text.h"

#define DIGITS 9      /* of a number with a fraction: enough for a nanosecond in a second */
#define PAGE_DIGITS 6 /* the same in a page, where people see three or four of them */

static json_t *object(const struct plb_report_field *fields, const struct plb_report *report,
                      const void *record);

static json_t *array(const struct plb_report_field *fields, size_t record_bytes,
                     const struct plb_report *report, const struct plb_value *list)
{
    json_t *all = json_array();
    for (int64_t i = 0; i < list->whole && all != NULL; i++) {
        const char *record = (const char *)list->list + (size_t)i * record_bytes;
        if (json_array_append_new(all, object(fields, report, record)) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

/* NULL where JSON has no such value: a number that is not finite. */
static json_t *json_of(const struct plb_report_field *field, const struct plb_report *report,
                       const struct plb_value *value)
{
    switch (value->type) {
    case PLB_VALUE_FLAG: return json_boolean(value->whole != 0);
    case PLB_VALUE_WHOLE: return json_integer((json_int_t)value->whole);
    case PLB_VALUE_REAL: return json_real(value->real);
    case PLB_VALUE_TEXT: return plb_json_text(value->text);
    case PLB_VALUE_OBJECT: return object(field->fields, report, value->list);
    case PLB_VALUE_LIST: return array(field->fields, field->record_bytes, report, value);
    default: return json_null();
    }
}

static json_t *object(const struct plb_report_field *fields, const struct plb_report *report,
                      const void *record)
{
    json_t *all = json_object();
    for (const struct plb_report_field *f = fields; f->meaning != NULL && all != NULL; f++) {
        struct plb_value value = plb_field_value(f, report, record);
        if (f->key == NULL || value.type == PLB_VALUE_LEFT_OUT)
            continue;
        if (json_object_set_new(all, f->key, json_of(f, report, &value)) != 0) {
            json_decref(all);
            all = NULL;
        }
    }
    return all;
}

int plb_report_write(const struct plb_report *report, const char *file, struct plb_error *err)
{
    json_t *run = object(plb_run_fields, report, report);
    if (run == NULL)
        return plb_fail(err, PLB_EFAILED, "cannot make %s: a number in it is not finite", file);
    struct plb_file f;
    if (plb_file_create(&f, file, err) == PLB_OK) {
        json_dumpf(run, f.stream, JSON_INDENT(2) | JSON_REAL_PRECISION(DIGITS));
        fputc('\n', f.stream);
        plb_file_commit(&f, err);
    }
    json_decref(run);
    return err->status;
}

/* Jansson gives a text piece by piece. In JSON a '<' is in strings alone. */
static int put_piece(const char *piece, size_t length, void *out)
{
    const char *end = piece + length;
    for (const char *special; (special = memchr(piece, '<', (size_t)(end - piece))) != NULL;
         piece = special + 1) {
        fwrite(piece, 1, (size_t)(special - piece), out);
        fputs("\\u003c", out);
    }
    fwrite(piece, 1, (size_t)(end - piece), out);
    return 0;
}

void plb_json_embed(struct json_t *value, FILE *out)
{
    if (value == NULL)
        fputs("null", out);
    else
        json_dump_callback(value, put_piece, out, JSON_COMPACT | JSON_REAL_PRECISION(PAGE_DIGITS));
    json_decref(value);
}

bool plb_report_embed(const struct plb_report *report, FILE *out)
{
    json_t *run = object(plb_run_fields, report, report);
    if (run == NULL)
        return false;
    plb_json_embed(run, out);
    return true;
}
