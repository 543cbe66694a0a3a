/* Reads tables of text, line by line, from a file in memory. Cells are cut in place.
 *
 * The rule: nothing is guessed. A cell that is missing, no number or not finite is refused with its line and
 * column, since a result computed from it would look like any other. Cost: the file and the table are in
 * memory at once. Weak at: cells that go over several lines, which are refused. */
#include "format/csv.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "format/labels.h"
#include "format/text.h"

/* Columns of a file at most: names are kept and compared. */
#define MOST_COLUMNS 1000000

struct csv {
    struct plb_text text;
    char separator;
    bool ended;                           /* the last cell was the last one of its line */
    const struct plb_csv_column *columns; /* NULL: all */
    int64_t n;                            /* columns of the file */
    struct plb_label *names;              /* of the file's columns */
    int64_t *column;                      /* the column of the table that each one becomes; -1: none */
    int64_t width, rows;                  /* of the table */
    double *values;
    bool named;               /* the first cell of a row is its name */
    struct plb_label *labels; /* named: of the rows */
    int64_t *lines;           /* named: of the rows, in the file */
};

static bool is_space(const struct csv *csv, char c)
{
    return plb_is_blank(c) && c != csv->separator;
}

static bool ends_cell(const struct csv *csv, const char *at)
{
    return *at == csv->separator || *at == '\n' || at == csv->text.end;
}

static void skip_spaces(struct csv *csv)
{
    while (is_space(csv, *csv->text.at))
        csv->text.at++;
}

/* The text between quotes, where two of them are one. Writes over the text that it has read. */
static int cut_quoted(struct csv *csv, struct plb_label *cell)
{
    struct plb_text *t = &csv->text;
    char *to = (char *)++t->at;
    cell->text = to;
    for (; *t->at != '\n' && t->at < t->end; t->at++) {
        if (*t->at == '"' && t->at[1] != '"')
            break;
        t->at += *t->at == '"';
        *to++ = *t->at;
    }
    cell->length = (size_t)(to - cell->text);
    if (*t->at != '"')
        return plb_text_refuse(t, "has a cell without its closing quote, which was expected on the same "
                                  "line; close it, or double quotes that belong to the text");
    t->at++;
    skip_spaces(csv);
    if (!ends_cell(csv, t->at))
        return plb_text_refuse(t,
                               "continues with '%s' after a closing quote, but the end of the cell was "
                               "expected; double quotes that belong to the text",
                               plb_text_excerpt(t, t->at).text);
    *to = '\0'; /* not before it is known what followed: the quote may have stood here */
    return PLB_OK;
}

static void cut_plain(struct csv *csv, struct plb_label *cell)
{
    struct plb_text *t = &csv->text;
    cell->text = t->at;
    while (!ends_cell(csv, t->at))
        t->at++;
    const char *end = t->at;
    while (end > cell->text && is_space(csv, end[-1]))
        end--;
    cell->length = (size_t)(end - cell->text);
}

/* Cuts the next cell of the line, and sees whether it is the last one. */
static int next_cell(struct csv *csv, struct plb_label *cell)
{
    struct plb_text *t = &csv->text;
    skip_spaces(csv);
    if (*t->at != '"')
        cut_plain(csv, cell);
    else if (cut_quoted(csv, cell) != PLB_OK)
        return PLB_EINPUT;
    csv->ended = t->at == t->end || *t->at == '\n';
    if (t->at < t->end)
        t->at++; /* past the separator, or to the next line */
    ((char *)cell->text)[cell->length] = '\0';
    return PLB_OK;
}

/* Goes to the next line that has something, from the start of a line. */
static bool find_line(struct csv *csv)
{
    struct plb_text *t = &csv->text;
    for (;;) {
        const char *start = t->at;
        while (plb_is_blank(*t->at))
            t->at++;
        if (t->at == t->end)
            return false;
        if (*t->at != '\n') {
            t->at = start; /* a tab may be a separator */
            return true;
        }
        t->at++;
        t->line++;
    }
}

/* The first of the three separators in the line, outside of quotes. */
static char find_separator(const struct plb_text *t)
{
    bool quoted = false;
    for (const char *at = t->at; at < t->end && *at != '\n'; at++) {
        quoted = quoted != (*at == '"');
        if (!quoted && (*at == ',' || *at == ';' || *at == '\t'))
            return *at;
    }
    return ',';
}

static bool is_number(const struct plb_label *cell, double *value)
{
    return plb_scan_decimal(cell->text, false, value) == cell->text + cell->length;
}

/* The value of a cell that is one of the words; -1 if it is none. */
static double word_value(const struct plb_label *cell, const char *words)
{
    for (int i = 0; words != NULL; i++) {
        size_t length = strcspn(words, "|");
        if (length == cell->length && strncasecmp(words, cell->text, length) == 0)
            return i;
        words = words[length] == '|' ? words + length + 1 : NULL;
    }
    return -1.0;
}

/* A cell's text in quotes, fit for a message. */
static struct plb_excerpt excerpt_of(const struct plb_label *cell)
{
    struct plb_excerpt is;
    snprintf(is.text, sizeof is.text, "'%.40s'", cell->text);
    for (char *c = is.text; *c != '\0'; c++)
        *c = *c >= ' ' && *c <= '~' ? *c : '?';
    return is;
}

/* The name of a column of the file, or its number. */
static struct plb_excerpt name_of(const struct csv *csv, int64_t column)
{
    struct plb_excerpt name;
    if (csv->names[column].length > 0)
        return excerpt_of(&csv->names[column]);
    snprintf(name.text, sizeof name.text, "%" PRId64, column + 1);
    return name;
}

static int take_value(struct csv *csv, int64_t column, const struct plb_label *cell, double *value)
{
    const char *words = csv->columns != NULL ? csv->columns[csv->column[column]].words : NULL;
    struct plb_excerpt name = name_of(csv, column), is = {"empty"};
    if (words != NULL && (*value = word_value(cell, words)) >= 0.0)
        return PLB_OK;
    if (words == NULL && is_number(cell, value) && isfinite(*value))
        return PLB_OK;
    if (cell->length > 0)
        is = excerpt_of(cell);
    return plb_text_refuse(&csv->text, "column %s is %s, but %s%s was expected; correct this cell", name.text,
                           is.text, words != NULL ? "one of " : "a finite number such as 0.25",
                           words != NULL ? words : "");
}

/* Cuts the first line into names. */
static int read_names(struct csv *csv)
{
    int64_t room = 0;
    do {
        if (csv->n == MOST_COLUMNS)
            return plb_text_refuse(&csv->text, "has more than the %d columns that are expected at most",
                                   MOST_COLUMNS);
        if (csv->n == room) {
            room = 2 * room + 16;
            csv->names = plb_grow(csv->names, plb_array_bytes(room, sizeof *csv->names));
        }
        if (next_cell(csv, &csv->names[csv->n]) != PLB_OK)
            return PLB_EINPUT;
        csv->n++;
    } while (!csv->ended);
    return PLB_OK;
}

/* Finds the wanted columns among the names. */
static int place_columns(struct csv *csv)
{
    csv->column = plb_alloc(plb_array_bytes(csv->n, sizeof *csv->column));
    for (int64_t i = 0; i < csv->n; i++)
        csv->column[i] = csv->columns == NULL ? i - csv->named : -1;
    csv->width = csv->columns == NULL ? csv->n - csv->named : 0;
    if (csv->width == 0 && csv->named)
        return plb_text_refuse(&csv->text, "names no column of numbers; the first line must have the name of "
                                           "the row names, then the names of the columns");
    for (const struct plb_csv_column *c = csv->columns; c != NULL && c->name != NULL; c++, csv->width++) {
        int64_t found = -1;
        for (int64_t i = 0; i < csv->n; i++) {
            if (strcasecmp(csv->names[i].text, c->name) != 0)
                continue;
            if (found >= 0)
                return plb_text_refuse(
                    &csv->text, "names the column '%s' twice, but different names were expected; rename one",
                    c->name);
            found = i;
        }
        if (found < 0)
            return plb_text_refuse(
                &csv->text,
                "names no column '%s', which was expected; the first line must have the names of the columns",
                c->name);
        csv->column[found] = c - csv->columns;
    }
    return PLB_OK;
}

/* Without wanted columns: a first line that begins with a number is the first row. */
static int take_first_row(struct csv *csv)
{
    double first;
    if (!is_number(&csv->names[0], &first))
        return PLB_OK;
    for (int64_t i = 0; i < csv->n; i++) {
        struct plb_label cell = csv->names[i];
        csv->names[i].length = 0; /* columns have no names */
        if (take_value(csv, i, &cell, &csv->values[i]) != PLB_OK)
            return PLB_EINPUT;
    }
    csv->rows = 1;
    return PLB_OK;
}

static int read_row(struct csv *csv)
{
    double *row = csv->values + csv->rows * csv->width;
    for (int64_t i = 0; i < csv->n; i++) {
        struct plb_label cell;
        if (i > 0 && csv->ended)
            return plb_text_refuse(&csv->text,
                                   "has %" PRId64 " cells, but %" PRId64 " were expected, as in "
                                   "the first line; fill in those that are missing",
                                   i, csv->n);
        if (next_cell(csv, &cell) != PLB_OK
            || (csv->column[i] >= 0 && take_value(csv, i, &cell, &row[csv->column[i]]) != PLB_OK))
            return PLB_EINPUT;
        if (i == 0 && csv->named) {
            csv->labels[csv->rows] = cell;
            csv->lines[csv->rows] = csv->text.line;
        }
    }
    if (!csv->ended)
        return plb_text_refuse(&csv->text,
                               "has more cells than the %" PRId64 " that were expected, as in "
                               "the first line; quote a cell with a separator in it",
                               csv->n);
    csv->text.line++;
    csv->rows++;
    return PLB_OK;
}

/* Rows that the rest of the file may have: one a line, of which each has two bytes for a cell. */
static int64_t most_rows(const struct csv *csv)
{
    int64_t lines = 2, bytes = csv->text.end - csv->text.at;
    for (const char *at = csv->text.at; (at = memchr(at, '\n', (size_t)(csv->text.end - at))) != NULL; at++)
        lines++;
    assert(csv->n > 0); /* the first line has a cell */
    int64_t fit = bytes / (2 * csv->n) + 2;
    return lines < fit ? lines : fit;
}

static int read_table(struct csv *csv)
{
    struct plb_text *t = &csv->text;
    if (t->end - t->at >= 3 && memcmp(t->at, "\xef\xbb\xbf", 3) == 0)
        t->at += 3; /* some programs mark UTF-8 so */
    if (!find_line(csv))
        return plb_text_refuse(t, "is empty, but a line with the names of columns was expected");
    csv->separator = find_separator(t);
    if (read_names(csv) != PLB_OK || place_columns(csv) != PLB_OK)
        return PLB_EINPUT;
    csv->values = plb_alloc(plb_array_bytes(most_rows(csv) * csv->width, sizeof(double)));
    if (csv->named) {
        csv->labels = plb_alloc(plb_array_bytes(most_rows(csv), sizeof *csv->labels));
        csv->lines = plb_alloc(plb_array_bytes(most_rows(csv), sizeof *csv->lines));
    }
    if (csv->columns == NULL && !csv->named && take_first_row(csv) != PLB_OK)
        return PLB_EINPUT;
    t->line++;
    while (find_line(csv))
        if (read_row(csv) != PLB_OK)
            return PLB_EINPUT;
    if (csv->rows == 0)
        return plb_text_refuse(t, "ends after the names of columns, but at least one row was expected");
    return PLB_OK;
}

/* Refuses a row that has no name, or that of a row before. */
static int check_labels(struct csv *csv)
{
    int64_t before, wrong = plb_labels_find_wrong(csv->labels, csv->rows, &before);
    if (wrong < 0)
        return PLB_OK;
    csv->text.line = csv->lines[wrong];
    if (before < 0)
        return plb_text_refuse(&csv->text, "has no name in its first cell; fill it in");
    return plb_text_refuse(&csv->text,
                           "has the name %s, as line %" PRId64 " has; give one of the two rows another name, "
                           "or leave it out",
                           excerpt_of(&csv->labels[wrong]).text, csv->lines[before]);
}

static int load(struct csv *csv)
{
    int status = plb_text_load(&csv->text, "a table of text was expected; name a .csv file");
    return status == PLB_OK ? read_table(csv) : status;
}

/* Frees all that is no result. */
static void unload(struct csv *csv)
{
    free(csv->labels);
    free(csv->names);
    free(csv->column);
    plb_text_free(&csv->text);
}

int plb_csv_read(const char *path, const struct plb_csv_column *columns, struct plb_array *array,
                 struct plb_error *err)
{
    struct csv csv = {.text = {.path = path, .err = err}, .separator = ',', .columns = columns};
    int status = load(&csv);
    if (status == PLB_OK)
        *array = (struct plb_array){csv.values, sizeof(double), csv.rows, csv.width, false};
    else
        free(csv.values);
    unload(&csv);
    return status;
}

int plb_csv_read_named(const char *path, struct plb_table *table, struct plb_error *err)
{
    struct csv csv = {.text = {.path = path, .err = err}, .separator = ',', .named = true};
    int status = load(&csv);
    if (status == PLB_OK)
        status = check_labels(&csv);
    if (status == PLB_OK) {
        *table = (struct plb_table){.values = csv.values,
                                    .rows = csv.rows,
                                    .columns = csv.width,
                                    .row_names = plb_labels_copy(csv.labels, csv.rows),
                                    .column_names = plb_labels_copy(csv.names + 1, csv.width),
                                    .lines = csv.lines};
    } else {
        free(csv.values);
        free(csv.lines);
    }
    unload(&csv);
    return status;
}
