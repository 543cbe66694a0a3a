/* A table of text: wanted columns, all of them, and names of rows. */
#include <math.h>

#include "format/csv.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct plb_csv_column wanted[] = {{"strike", NULL}, {"type", "call|put"}, {NULL, NULL}};
    const char *path = fuzz_file(data, size);
    for (int all = 0; all < 2; all++) {
        struct plb_array array;
        struct plb_error err = {.status = PLB_OK};
        if (plb_csv_read(path, all ? NULL : wanted, &array, &err) == PLB_OK) {
            const double *values = array.data;
            fuzz_check(array.rows > 0 && (all ? array.columns > 0 : array.columns == 2), "an empty table");
            for (int64_t i = 0; i < array.rows * array.columns; i++)
                fuzz_check(isfinite(values[i]), "a value that is not finite");
            free(array.data);
        }
        fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "a table is refused without a sentence");
    }
    struct plb_table table;
    struct plb_error err = {.status = PLB_OK};
    if (plb_csv_read_named(path, &table, &err) == PLB_OK) {
        fuzz_check(table.rows > 0 && table.columns > 0, "an empty table");
        for (int64_t i = 0; i < table.rows; i++)
            fuzz_check(table.row_names[i][0] != '\0' && table.lines[i] > 1, "a row without a name");
        free(table.values);
        free(table.row_names);
        free(table.column_names);
        free(table.lines);
    }
    fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "a table is refused without a sentence");
    return 0;
}
