/* A schema from the tables of report/fields/fields.c. It allows keys that it does not name, since later
 * versions may add some. A field that may be null has "null" as a second type; one that may be left out is
 * not required. Jansson gives NULL where memory ends; then less is written, and nothing fails. */
#include "report/fields/schema.h"

#include <jansson.h>
#include <string.h>

#include "report/fields/fields.h"

static const char *const type_names[] = {
    [PLB_VALUE_FLAG] = "boolean", [PLB_VALUE_WHOLE] = "integer", [PLB_VALUE_REAL] = "number",
    [PLB_VALUE_TEXT] = "string",  [PLB_VALUE_LIST] = "array",    [PLB_VALUE_OBJECT] = "object",
};

static void add_table(json_t *schema, const struct plb_report_field *fields);

/* The words that a text may be, as "a|b|c" lists them. */
static json_t *words(const char *choices)
{
    json_t *all = json_array();
    for (const char *word = choices; *word != '\0'; word += *word == '|') {
        size_t length = strcspn(word, "|");
        json_array_append_new(all, json_stringn(word, length));
        word += length;
    }
    return all;
}

static json_t *type_of(const struct plb_report_field *field)
{
    const char *type = type_names[field->type];
    return field->or_unknown ? json_pack("[s, s]", type, "null") : json_string(type);
}

static json_t *property(const struct plb_report_field *field)
{
    json_t *p = json_pack("{s:s}", "description", field->meaning);
    json_object_set_new(p, "type", type_of(field));
    if (field->choices != NULL)
        json_object_set_new(p, "enum", words(field->choices));
    if (field->unit != PLB_UNIT_NONE && (field->type == PLB_VALUE_WHOLE || field->type == PLB_VALUE_REAL))
        json_object_set_new(p, "minimum", json_integer(0));
    if (field->type == PLB_VALUE_OBJECT)
        add_table(p, field->fields);
    if (field->type == PLB_VALUE_LIST) {
        json_t *items = json_pack("{s:s}", "type", "object");
        add_table(items, field->fields);
        json_object_set_new(p, "items", items);
    }
    return p;
}

/* Adds the keys of a table to the schema of an object. */
static void add_table(json_t *schema, const struct plb_report_field *fields)
{
    json_t *properties = json_object(), *required = json_array();
    for (const struct plb_report_field *f = fields; f->meaning != NULL; f++) {
        if (f->key == NULL)
            continue;
        json_object_set_new(properties, f->key, property(f));
        if (!f->or_left_out)
            json_array_append_new(required, json_string(f->key));
    }
    json_object_set_new(schema, "properties", properties);
    json_object_set_new(schema, "required", required);
}

void plb_report_schema_print(FILE *out)
{
    struct plb_value version = plb_field_value(&plb_run_fields[0], NULL, NULL);
    json_t *schema = json_pack("{s:s, s:s, s:s, s:s}", "$schema",
                               "https://json-schema.org/draft/2020-12/schema", "title", "Report of plbrun",
                               "description", "What plbrun --report FILE.json writes about a run.", "type",
                               "object");
    add_table(schema, plb_run_fields);
    json_object_set_new(json_object_get(json_object_get(schema, "properties"), plb_run_fields[0].key),
                        "const", json_integer((json_int_t)version.whole));
    json_dumpf(schema, out, JSON_INDENT(1));
    fputc('\n', out);
    json_decref(schema);
}
