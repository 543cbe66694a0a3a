/* Levels of a gene depend on its own samples alone. Rank 0 finds them, so that all ranks have the same.
 *
 * mean:     2 levels: above the mean. 3: below and above it by more than half of the standard deviation.
 * median:   2 levels: above the median. 3: below and above it by more than the median distance from it.
 * quantile: levels of equally many samples, but that equal values are in the same level, the higher one.
 * A gene that is constant has one level alone. */
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int table_read(struct plb_app *app, struct table *table)
{
    const char *path = plb_app_text(app, "table");
    struct plb_table read;
    *table = (struct table){.genes = plb_app_int(app, "genes"), .samples = plb_app_int(app, "samples")};
    if (path != NULL) {
        if (plb_read_table(app, path, &read) != PLB_OK)
            return PLB_EINPUT;
        *table = (struct table){read.rows,  read.columns,      path,       read.row_names,
                                read.lines, read.column_names, read.values};
    } else if (!plb_app_simulated(app)) {
        const uint64_t seed = (uint64_t)plb_app_int(app, "seed");
        double *values = plb_app_alloc_array(app, table->genes * table->samples, sizeof *values);
#pragma omp parallel for
        for (int64_t i = 0; i < table->genes * table->samples; i++)
            values[i] = plb_random_real(seed, (uint64_t)i);
        table->values = values;
    }
    return PLB_OK;
}

const char *table_name(const struct table *table, int64_t gene, char room[32])
{
    if (table->names != NULL)
        return table->names[gene];
    snprintf(room, 32, "gene%lld", (long long)gene + 1);
    return room;
}

/* ------------------------------------------------------------------ targets */

struct named {
    const char *name;
    int64_t gene, line;
};

static int by_name(const void *a, const void *b)
{
    const struct named *one = a, *other = b;
    return strcmp(one->name, other->name);
}

static struct named *sort_names(struct plb_app *app, const struct table *table)
{
    struct named *sorted = plb_app_alloc_array(app, table->genes, sizeof *sorted);
    char *made = table->names == NULL ? plb_app_alloc_array(app, table->genes, 32) : NULL;
    for (int64_t g = 0; g < table->genes; g++)
        sorted[g].name = table_name(table, g, made != NULL ? made + 32 * g : made), sorted[g].gene = g;
    qsort(sorted, (size_t)table->genes, sizeof *sorted, by_name);
    return sorted;
}

/* Cuts blanks off both ends of a line, and quotes around the rest. */
static char *trim(char *line)
{
    size_t n = strlen(line);
    while (n > 0 && strchr(" \t\r\n", line[n - 1]) != NULL)
        line[--n] = '\0';
    line += strspn(line, " \t");
    n = strlen(line);
    if (n >= 2 && line[0] == '"' && line[n - 1] == '"') {
        line[n - 1] = '\0';
        line++;
    }
    return line;
}

static int take_target(struct plb_app *app, const struct table *table, const char *path, int64_t line,
                       struct named *found, int64_t *target)
{
    if (found == NULL)
        return PLB_EINPUT;
    if (found->line > 0)
        return plb_app_error(app, "%s:%lld: names the gene '%.60s', as line %lld does; leave one out", path,
                             (long long)line, found->name, (long long)found->line);
    (void)table;
    found->line = line;
    *target = found->gene;
    return PLB_OK;
}

int table_targets(struct plb_app *app, const struct table *table, const int64_t **targets, int64_t *n)
{
    const char *path = plb_app_text(app, "targets");
    char *text = NULL;
    size_t room = 0;
    int status = PLB_OK;
    *targets = NULL;
    *n = table->genes;
    if (path == NULL)
        return PLB_OK;
    FILE *in = fopen(path, "re");
    if (in == NULL)
        return plb_app_error(app, "%s: cannot be read: %s; correct grn.targets", path, strerror(errno));
    struct named *sorted = sort_names(app, table);
    int64_t *genes = plb_app_alloc_array(app, table->genes, sizeof *genes);
    *n = 0;
    for (int64_t line = 1; status == PLB_OK && getline(&text, &room, in) > 0; line++) {
        struct named wanted = {.name = trim(text)};
        if (wanted.name[0] == '\0')
            continue;
        struct named *found = bsearch(&wanted, sorted, (size_t)table->genes, sizeof *sorted, by_name);
        if (found == NULL)
            status = plb_app_error(
                app, "%s:%lld: '%.60s' is no gene of %s; a name of its first column was expected", path,
                (long long)line, wanted.name, table->path != NULL ? table->path : "the made-up table");
        else
            status = take_target(app, table, path, line, found, &genes[*n]);
        *n += status == PLB_OK;
    }
    fclose(in);
    free(text);
    if (status == PLB_OK && *n == 0)
        return plb_app_error(app, "%s: names no target; write a gene's name on each line", path);
    *targets = genes;
    return status;
}

/* ------------------------------------------------------------------- levels */

static int by_value(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double median_of(const double *sorted, int64_t n)
{
    return n % 2 == 1 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

/* The bounds of a gene's levels, by mean or median: below the first, and above the second. */
static void bounds_of(enum method method, const double *x, int64_t n, int levels, double *sorted,
                      double bound[2])
{
    double middle = 0.0, width = 0.0;
    if (method == MEAN) {
        for (int64_t i = 0; i < n; i++)
            middle += x[i];
        middle /= (double)n;
        for (int64_t i = 0; i < n; i++)
            width += (x[i] - middle) * (x[i] - middle);
        width = 0.5 * sqrt(width / (double)n);
    } else {
        middle = median_of(sorted, n);
        for (int64_t i = 0; i < n; i++)
            sorted[i] = fabs(x[i] - middle);
        qsort(sorted, (size_t)n, sizeof *sorted, by_value);
        width = median_of(sorted, n);
    }
    bound[0] = levels == 2 ? -INFINITY : middle - width;
    bound[1] = levels == 2 ? middle : middle + width;
}

static void find_levels(enum method method, const double *x, int64_t n, int levels, double *sorted,
                        uint8_t *level)
{
    double bound[2];
    memcpy(sorted, x, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    if (method == QUANTILE) {
        for (int l = 1; l < levels; l++)
            bound[l - 1] = sorted[n * l / levels];
        for (int64_t i = 0; i < n; i++)
            for (int l = 1; l < levels; l++)
                level[i] = (uint8_t)(level[i] + (x[i] >= bound[l - 1]));
        return;
    }
    bounds_of(method, x, n, levels, sorted, bound);
    for (int64_t i = 0; i < n; i++)
        level[i] = (uint8_t)(levels == 2 ? x[i] > bound[1] : 1 + (x[i] > bound[1]) - (x[i] < bound[0]));
}

static int check_discrete(struct plb_app *app, const struct table *table, int levels)
{
    char room[32];
    for (int64_t i = 0; i < table->genes * table->samples; i++) {
        const double x = table->values[i];
        const int64_t gene = i / table->samples, sample = i % table->samples;
        if (x == 0.0 || x == 1.0 || (x == 2.0 && levels == 3))
            continue;
        if (table->path == NULL)
            return plb_app_error(app, "a made-up table is not discrete; set grn.method to another method");
        return plb_app_error(app,
                             "%s:%lld: gene '%.60s' is %g in sample '%.60s', but with method = discrete and "
                             "levels = %d a whole number from 0 to %d was expected",
                             table->path, (long long)table->lines[gene], table_name(table, gene, room), x,
                             table->samples_of[sample], levels, levels - 1);
    }
    return PLB_OK;
}

int table_levels(struct plb_app *app, const struct table *table, int levels, uint8_t *level)
{
    const enum method method = (enum method)plb_app_choice(app, "method");
    const int64_t n = table->samples;
    bool failed = false;
    if (method == DISCRETE) {
        if (check_discrete(app, table, levels) != PLB_OK)
            return PLB_EINPUT;
        for (int64_t i = 0; i < table->genes * n; i++)
            level[i] = (uint8_t)table->values[i];
        return PLB_OK;
    }
#pragma omp parallel reduction(|| : failed)
    {
        double *sorted = malloc((size_t)n * sizeof *sorted);
        failed = sorted == NULL;
#pragma omp for
        for (int64_t g = 0; g < table->genes; g++)
            if (!failed)
                find_levels(method, table->values + g * n, n, levels, sorted, level + g * n);
        free(sorted);
    }
    return failed ? plb_app_error(app, "there is no memory for the %lld samples of a gene", (long long)n)
                  : PLB_OK;
}

void table_planes(const struct search *s, const struct table *table, const uint8_t *level, int64_t from,
                  uint64_t *planes)
{
#pragma omp parallel for
    for (int64_t g = 0; g < s->genes; g++)
        for (int64_t i = 0; i < s->samples; i++) {
            const uint8_t l = level[g * table->samples + from + i];
            if (l > 0)
                planes[word_at(s, g, l - 1, i / 64)] |= UINT64_C(1) << (i % 64);
        }
}
