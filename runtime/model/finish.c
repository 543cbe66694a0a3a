/* Finish times: the solver on models that begin later, and selection among the PUs' next ends. */
#include "model/finish.h"

#include <math.h>
#include <stdlib.h>

/* A PU whose time has run out is expected to need this part of the elapsed time yet. Larger: others
 * take over work that it is about to finish. Smaller: it is granted more while it is stuck. */
#define OVERDUE 0.25

double plb_busy_for(const struct plb_model *model, double work, double elapsed)
{
    return fmax(plb_model_time(model, work) - elapsed, OVERDUE * elapsed);
}

bool plb_solve_busy(const struct plb_model *models, const double *busy_s, int n, double total,
                    enum plb_solver solver, double *x, struct plb_solution *solution)
{
    struct plb_model *later = malloc((size_t)n * sizeof *later);
    if (later == NULL)
        return false;
    for (int p = 0; p < n; p++) {
        later[p] = models[p];
        later[p].busy_s = busy_s[p];
    }
    bool solved = plb_solve(later, n, total, solver, x, solution);
    free(later);
    return solved;
}

int plb_first_to_finish(const struct plb_model *models, const double *busy_s, int n, double unit)
{
    int first = 0;
    double earliest = INFINITY;
    for (int p = 0; p < n; p++) {
        double end = plb_model_known(&models[p]) ? busy_s[p] + plb_model_time(&models[p], unit) : INFINITY;
        if (end < earliest) {
            earliest = end;
            first = p;
        }
    }
    return first;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

double plb_one_each(const struct plb_model *models, const double *busy_s, int n, double unit, int units,
                    double *scratch)
{
    int able = 0;
    for (int p = 0; p < n; p++)
        if (plb_model_known(&models[p]))
            scratch[able++] = busy_s[p] + plb_model_time(&models[p], unit);
    if (able == 0)
        return 0.0;
    qsort(scratch, (size_t)able, sizeof *scratch, by_value);
    return scratch[(units < able ? units : able) - 1];
}
