/* With few PUs each has a column with its share; with many the
 * numbers of those that work are named. */
#include "report/front/front.h"

#include <math.h>
#include <string.h>

#include "report/quantity.h"

#define COLUMNS 6      /* PUs that have a column each; more make lines longer than a screen */
#define NAME_COLUMN 12 /* characters of a PU's name at most */
#define LIST_TEXT 48   /* characters of a list of PUs */

int plb_front_marks(const struct plb_front *front, int row, const char *marks[3])
{
    int n = 0;
    if (row == 0)
        marks[n++] = "least time";
    if (row == front->least_edp)
        marks[n++] = "least EDP";
    if (row == front->n - 1)
        marks[n++] = "least energy";
    return n;
}

/* ------------------------------------------------------------------------------- table */

/* "0-3 7": the PUs with a share; where there are too many to name, it ends in "...". */
static void list_pus(const struct plb_front_page *page, const double *x, char text[LIST_TEXT + 1])
{
    int n = 0;
    text[0] = '\0';
    for (int p = 0; p < page->n_pus; p++) {
        int last = p;
        if (!(x[p] > 0.0))
            continue;
        while (last + 1 < page->n_pus && x[last + 1] > 0.0)
            last++;
        char range[32];
        int length = snprintf(range, sizeof range, last > p ? "%s%d-%d" : "%s%d", n > 0 ? " " : "", p, last);
        if (n + length > LIST_TEXT - 4) {
            snprintf(text + n, (size_t)(LIST_TEXT + 1 - n), " ...");
            return;
        }
        n += snprintf(text + n, (size_t)(LIST_TEXT + 1 - n), "%s", range);
        p = last;
    }
}

/* The share of each PU, or which ones work. `x`: parts of `whole`. */
static void put_shares(const struct plb_front_page *page, const double *x, double whole, FILE *out)
{
    int working = 0;
    char list[LIST_TEXT + 1];
    for (int p = 0; p < page->n_pus; p++) {
        working += x[p] > 0.0;
        if (page->n_pus <= COLUMNS && x[p] > 0.0)
            fprintf(out, "  %*.1f %%", NAME_COLUMN - 2, 100.0 * x[p] / whole);
        else if (page->n_pus <= COLUMNS)
            fprintf(out, "  %*s", NAME_COLUMN, "-");
    }
    if (page->n_pus <= COLUMNS)
        return;
    list_pus(page, x, list);
    fprintf(out, " %6d  %-*s", working, LIST_TEXT, list);
}

static void put_headings(const struct plb_front_page *page, FILE *out)
{
    fprintf(out, " %10s %10s %10s %8s", "time", "energy", "EDP", "watts");
    if (page->n_pus <= COLUMNS)
        for (int p = 0; p < page->n_pus; p++) {
            char name[PLB_NAME + 16];
            snprintf(name, sizeof name, "%d %s", p, page->pus[p].name);
            fprintf(out, "  %*.*s", NAME_COLUMN, NAME_COLUMN, name);
        }
    if (page->n_pus > COLUMNS)
        fprintf(out, " %6s  %-*s", "work", LIST_TEXT, "PUs that work");
    fputc('\n', out);
}

/* Four digits, since rows may be near each other. */
static void put_quantity(double value, const char *unit, FILE *out)
{
    static const char *const prefixes[] = {"m", "", "k", "M", "G", "T"};
    char text[32];
    int p = 0;
    for (value *= 1e3; value >= 999.95 && p < 5; p++)
        value /= 1e3;
    snprintf(text, sizeof text, "%#.4g %s%s", value, prefixes[p], unit);
    fprintf(out, " %10s", text);
}

static void put_numbers(double seconds, double joules, FILE *out)
{
    put_quantity(seconds, "s", out);
    put_quantity(joules, "J", out);
    put_quantity(seconds * joules, "Js", out);
    fprintf(out, " %8.4g", joules / seconds);
}

/* Where the run is beside the front. */
static void say_run(const struct plb_front_page *page, FILE *out)
{
    double least = page->front->then_joules;
    char text[PLB_QUANTITY_TEXT];
    if (!isfinite(page->run_joules) || least <= 0.0) /* nothing draws watts: all rows are alike */
        return;
    if (isfinite(least))
        fprintf(out, "this run took %.3f times the least energy for its time, which is %s\n",
                page->run_joules / least, plb_joules_print(least, text));
    else
        fprintf(out, "this run was %.3f times as long as the front's shortest time\n",
                page->run_seconds / page->front->rows[0].seconds);
}

void plb_front_print(const struct plb_front_page *page, FILE *out)
{
    const struct plb_front *front = page->front;
    fprintf(out, "\nfront of time and energy, from %s", page->by);
    if (page->passes > 1)
        fprintf(out, ", of %d passes", page->passes);
    fputs(":\n", out);
    put_headings(page, out);
    for (int i = 0; i < front->n; i++) {
        const char *marks[3];
        int n = plb_front_marks(front, i, marks);
        put_numbers(front->rows[i].seconds, front->rows[i].joules, out);
        put_shares(page, front->rows[i].x, page->work, out);
        for (int k = 0; k < n; k++)
            fprintf(out, "%s%s", k == 0 ? "  " : ", ", marks[k]);
        fputc('\n', out);
    }
    if (isfinite(page->run_joules)) {
        double shares[page->n_pus + 1];
        for (int p = 0; p < page->n_pus; p++)
            shares[p] = page->pus[p].run_share;
        put_numbers(page->run_seconds, page->run_joules, out);
        put_shares(page, shares, 1.0, out);
        fputs("  this run\n", out);
    }
    say_run(page, out);
}
