/* Markdown from the tables of report/fields/fields.c. */
#include "report/fields/keys.h"

#include <assert.h>

#include "report/fields/fields.h"

#define MOST_TABLES 24 /* of objects and records, for an array */

static const char *const unit_names[] = {
    [PLB_UNIT_NONE] = "",           [PLB_UNIT_COUNT] = "",       [PLB_UNIT_SECONDS] = " (s)",
    [PLB_UNIT_BYTES] = " (bytes)",  [PLB_UNIT_JOULES] = " (J)",  [PLB_UNIT_OF_APP] = " (units)",
    [PLB_UNIT_RATE] = " (units/s)", [PLB_UNIT_PERCENT] = " (%)", [PLB_UNIT_FRACTION] = " (fraction)",
    [PLB_UNIT_RATIO] = "",
};

/* Tables that are printed already: two keys may have the same one. */
struct printed {
    const struct plb_report_field *tables[MOST_TABLES];
    int n;
};

static bool is_new(struct printed *printed, const struct plb_report_field *table)
{
    for (int i = 0; i < printed->n; i++)
        if (printed->tables[i] == table)
            return false;
    assert(printed->n < MOST_TABLES);
    printed->tables[printed->n++] = table;
    return true;
}

/* One list, then one for each object and for the records of each list in it. */
static void print_table(const struct plb_report_field *fields, struct printed *printed, FILE *out)
{
    fputc('\n', out);
    for (const struct plb_report_field *f = fields; f->meaning != NULL; f++)
        if (f->key != NULL)
            fprintf(out, "- `%s`%s: %s\n", f->key, unit_names[f->unit], f->meaning);
    for (const struct plb_report_field *f = fields; f->meaning != NULL; f++)
        if (f->fields != NULL && is_new(printed, f->fields)) {
            fprintf(out, "\n## %s `%s`\n", f->type == PLB_VALUE_LIST ? "Each record of" : "The object",
                    f->key);
            print_table(f->fields, printed, out);
        }
}

void plb_report_keys_print(FILE *out)
{
    fputs("# Keys of a report\n"
          "\n"
          "<!-- Written by `plbrun --report help` from runtime/report/fields/fields.c: do not edit it here. "
          "-->\n"
          "\n"
          "`plbrun --report FILE.json` writes one JSON object about the run, with these keys in this order.\n"
          "Brackets hold the unit of a number; [the schema](report.schema.json) has the types. Null stands "
          "for\n"
          "what is unknown, was not measured, or was not simulated.\n"
          "Later versions may add keys: a program should ignore a key that it does not know.\n"
          "\n"
          "## The run\n",
          out);
    struct printed printed = {.n = 0};
    print_table(plb_run_fields, &printed, out);
}
