/* Tables in text files: a part of the kernel API (plb/kernel.h, which includes it). */
#ifndef PLB_CSV_H
#define PLB_CSV_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plb_app;
struct plb_array;

/* A column that a kernel wants. A list of them ends with a name that is NULL. */
struct plb_csv_column {
    const char *name;  /* as in the file's first line, where upper and lower case are the same */
    const char *words; /* "call|put": each cell is one of these words, in any case, and its value is the place
                          of the word, from 0. NULL: cells are numbers */
};

/* Reads a table of text: a first line with the names of columns, then a line for each row. Cells stand
 * between commas, semicolons or tabs, whichever the first line has first. A cell may be in "quotes", within
 * its line. Empty lines do not count. Gives row-major float64, a column for each one wanted, in the order of
 * the list; the file may have others in between. With `columns` NULL it gives all columns of the file as
 * numbers, and a first line that begins with a number is a row.
 *
 * A cell that is empty, no number, nan or infinite is refused with file, line and column. A simulation reads
 * the file too. PLB_OK, and memory of the app in array->data; or PLB_EINPUT, after it has described the
 * mistake. */
int plb_read_csv(struct plb_app *app, const char *path, const struct plb_csv_column *columns,
                 struct plb_array *array);

/* A table whose rows and columns have names. */
struct plb_table {
    double *values; /* row-major */
    int64_t rows, columns;
    const char **row_names, **column_names;
    int64_t *lines; /* of each row: its line in the file, for messages */
};

/* Reads a table of text as above, whose first cell of each line is the name of the row: genes by samples, for
 * example. All other cells are finite numbers. The first line has the names of the columns, behind a cell for
 * the names of the rows, whose text does not matter. A row without a name, or with that of another row, is
 * refused with its line. Names of columns may be equal. A simulation reads the file too. PLB_OK, and memory
 * of the app in the table; or PLB_EINPUT, after it has described the mistake. */
int plb_read_table(struct plb_app *app, const char *path, struct plb_table *table);

#ifdef __cplusplus
}
#endif

#endif
