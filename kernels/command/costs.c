/* Costs of lines: sizes of files, numbers in columns, or seconds of an earlier run. Only their ratios count,
 * and the run learns where they are wrong. The longest lines are the first units, so that none of them is
 * begun in the end. */
#include "costs.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LEAST 1e-3    /* of the mean: the cost of any line at least */
#define SHORTEST 1e-3 /* seconds, of a line of a joblog: it has no more digits */

/* Column `column` of a line; where it has only one, the word with that number. */
static void take_column(const struct command_line *line, int column, struct command_text *text)
{
    const char *at = line->text, *end = line->text + line->n;
    text->n = 0;
    if (command_columns(line) > 1) {
        command_part_of((struct command_part){LINE, column}, line, text);
        return;
    }
    for (int i = 1;; i++) {
        while (at < end && (*at == ' ' || *at == '\t'))
            at++;
        const char *word = at;
        while (at < end && *at != ' ' && *at != '\t')
            at++;
        if (i == column)
            command_add(text, word, (size_t)(at - word));
        if (i == column || at == end)
            return;
    }
}

static int cost_of_file(struct plb_app *app, const struct command_line *line, double *cost)
{
    const char *folder = plb_app_text(app, "folder");
    struct command_text path = {NULL, 0, 0};
    struct command_text name = {NULL, 0, 0};
    struct stat info;
    command_part_of((struct command_part){LINE, command_columns(line) > 1 ? 1 : 0}, line, &name);
    if (folder != NULL && name.at[0] != '/') {
        command_add(&path, folder, strlen(folder));
        command_add(&path, "/", 1);
    }
    command_add(&path, name.at, name.n);
    int status = PLB_OK;
    if (stat(path.at, &info) != 0)
        status = plb_app_error(app,
                               "line %lld: '%.200s': %s; command.cost = size needs lines that name files",
                               (long long)line->number, path.at, strerror(errno));
    else
        *cost = (double)info.st_size;
    free(path.at);
    free(name.at);
    return status;
}

static int cost_of_column(struct plb_app *app, const struct command_line *line, int column,
                          struct command_text *text, double *cost)
{
    char *end = NULL;
    take_column(line, column, text);
    *cost = text->n > 0 ? strtod(text->at, &end) : 0.0;
    if (text->n > 0 && *end == '\0' && isfinite(*cost) && *cost >= 0.0)
        return PLB_OK;
    return plb_app_error(
        app,
        "line %lld: '%.100s' in column %d is not a cost; command.cost = column:%d needs a number, 0 or more",
        (long long)line->number, text->n > 0 ? text->at : "", column, column);
}

static int read_told(struct plb_app *app, const char *cost, struct command_input *input)
{
    struct command_text text = {NULL, 0, 0};
    int column = 0, status = PLB_OK;
    char rest;
    bool size = strcmp(cost, "size") == 0;
    if (!size && (sscanf(cost, "column:%d%c", &column, &rest) != 1 || column < 1))
        return plb_app_error(app, "command.cost = %s: expected size, or column:N with N from 1", cost);
    for (int64_t u = 0; u < input->units && status == PLB_OK; u++) {
        struct command_line line = command_line_of(input->text, input->places, u);
        status = size ? cost_of_file(app, &line, &input->costs[u])
                      : cost_of_column(app, &line, column, &text, &input->costs[u]);
    }
    free(text.at);
    return status;
}

/* ------------------------------------------------------------------------ joblogs */

/* A line of a joblog. */
struct run {
    const char *command;
    long long seq;
    double seconds;
};

static int by_command(const void *a, const void *b)
{
    const struct run *x = a, *y = b;
    int order = strcmp(x->command, y->command);
    return order != 0 ? order : (x->seq > y->seq) - (x->seq < y->seq);
}

/* The columns of a joblog's line: Seq Host Starttime JobRuntime Send Receive Exitval Signal Command. */
static bool take_run(char *text, struct run *run)
{
    char *at = text, *columns[9];
    for (int i = 0; i < 9; i++) {
        columns[i] = at;
        at = i < 8 ? strchr(at, '\t') : at;
        if (at == NULL)
            return false;
        if (i < 8)
            *at++ = '\0';
    }
    char *end;
    *run = (struct run){columns[8], strtoll(columns[0], &end, 10), fmax(strtod(columns[3], NULL), SHORTEST)};
    return *end == '\0' && end != columns[0];
}

/* Reads all of them. The caller frees *runs and *text, in which their commands are. */
static int read_runs(struct plb_app *app, const char *path, char **text, struct run **runs, int64_t *n)
{
    size_t size = 0;
    FILE *in = fopen(path, "rbe");
    *text = NULL;
    *runs = NULL;
    *n = 0;
    if (in == NULL || getdelim(text, &size, '\0', in) < 0) {
        if (in != NULL)
            fclose(in);
        return plb_app_error(app, "command.cost_from = %s: cannot be read, or is empty; name a joblog", path);
    }
    fclose(in);
    int64_t lines = 1;
    for (const char *c = *text; *c != '\0'; c++)
        lines += *c == '\n';
    *runs = calloc((size_t)lines, sizeof **runs);
    char *save = NULL;
    for (char *line = strtok_r(*text, "\n", &save); line != NULL && *runs != NULL;
         line = strtok_r(NULL, "\n", &save))
        *n += take_run(line, &(*runs)[*n]);
    if (*n > 0)
        return PLB_OK;
    return plb_app_error(app, "command.cost_from = %s: has no line of a joblog, as --joblog writes it", path);
}

/* The command as a joblog has it: in one line. */
static const char *command_in_log(const struct command_input *input, int form, int64_t u,
                                  struct command_text *text)
{
    struct command_line line = command_line_of(input->text, input->places, u);
    text->n = 0;
    command_describe(input->spec, form, &line, text);
    for (char *c = text->at; c != NULL && *c != '\0'; c++)
        *c = *c == '\n' ? ' ' : *c;
    return text->at != NULL ? text->at : "";
}

/* A line costs what its command took; one that is new what lines took on average. Returns how many were
 * found. */
static int64_t find_by_command(const struct command_input *input, struct run *runs, int64_t n)
{
    struct command_text text = {NULL, 0, 0};
    int64_t found = 0;
    double sum = 0.0;
    if (n > 0)
        qsort(runs, (size_t)n, sizeof *runs, by_command);
    for (int64_t u = 0; u < input->units; u++) {
        const struct run *run = NULL;
        for (int form = ON_CPU; form <= ON_GPU && run == NULL; form++)
            if (input->spec->has[form]) {
                struct run wanted = {command_in_log(input, form, u, &text), 0, 0.0};
                int64_t low = 0, high = n; /* the last one of this command */
                while (low < high) {
                    int64_t middle = low + (high - low) / 2;
                    if (strcmp(runs[middle].command, wanted.command) <= 0)
                        low = middle + 1;
                    else
                        high = middle;
                }
                run = low > 0 && strcmp(runs[low - 1].command, wanted.command) == 0 ? &runs[low - 1] : NULL;
            }
        input->costs[u] = run != NULL ? run->seconds : -1.0;
        found += run != NULL;
        sum += run != NULL ? run->seconds : 0.0;
    }
    for (int64_t u = 0; u < input->units && found > 0; u++)
        input->costs[u] = input->costs[u] < 0.0 ? sum / (double)found : input->costs[u];
    free(text.at);
    return found;
}

/* The command is another one, but the lines may be the same: by their numbers. */
static bool find_by_number(const struct command_input *input, const struct run *runs, int64_t n)
{
    for (int64_t u = 0; u < input->units; u++)
        input->costs[u] = -1.0;
    for (int64_t i = 0; i < n; i++) {
        if (runs[i].seq < 1 || runs[i].seq > input->units)
            return false;
        input->costs[runs[i].seq - 1] = runs[i].seconds;
    }
    for (int64_t u = 0; u < input->units; u++)
        if (input->costs[u] < 0.0)
            return false;
    return true;
}

static int read_joblog(struct plb_app *app, const char *path, struct command_input *input)
{
    char *text;
    struct run *runs;
    int64_t n;
    int status = read_runs(app, path, &text, &runs, &n);
    if (status == PLB_OK && find_by_command(input, runs, n) == 0 && !find_by_number(input, runs, n))
        status = plb_app_error(app,
                               "command.cost_from = %s: its commands and its number of lines are not those "
                               "of this job; name the joblog of an earlier run of these lines",
                               path);
    input->spec->seconds = status == PLB_OK;
    free(runs);
    free(text);
    return status;
}

/* ------------------------------------------------------------------------- order */

struct priced {
    double cost;
    struct command_place place;
};

static int by_cost(const void *a, const void *b)
{
    const struct priced *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->place.number < y->place.number ? -1 : 1;
}

/* The largest first. */
static void sort_units(struct plb_app *app, struct command_input *input)
{
    struct priced *all = plb_app_alloc_array(app, input->units, sizeof *all);
    input->order = plb_app_alloc_array(app, input->units, sizeof *input->order);
    for (int64_t u = 0; u < input->units; u++)
        all[u] = (struct priced){input->costs[u], input->places[u]};
    qsort(all, (size_t)input->units, sizeof *all, by_cost);
    for (int64_t u = 0; u < input->units; u++) {
        input->places[u] = all[u].place;
        input->costs[u] = all[u].cost;
        input->order[all[u].place.number - 1] = u;
    }
}

int command_read_costs(struct plb_app *app, struct command_input *input)
{
    const char *cost = plb_app_text(app, "cost"), *from = plb_app_text(app, "cost_from");
    if (cost == NULL && from == NULL)
        return PLB_OK;
    if (cost != NULL && from != NULL)
        return plb_app_error(app, "command.cost and command.cost_from both set costs; leave one out");
    input->costs = plb_app_alloc_array(app, input->units, sizeof *input->costs);
    int status = cost != NULL ? read_told(app, cost, input) : read_joblog(app, from, input);
    double sum = 0.0;
    for (int64_t u = 0; u < input->units; u++)
        sum += input->costs[u];
    double least = sum > 0.0 ? LEAST * sum / (double)input->units : 1.0;
    for (int64_t u = 0; u < input->units; u++) /* a program's start costs something, too */
        input->costs[u] = fmax(input->costs[u], least);
    if (status == PLB_OK)
        sort_units(app, input);
    return status;
}
