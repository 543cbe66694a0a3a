/* Finish times: the solver on models that begin later, and selection among the PUs' next ends. */
#include "model/finish.h"

#include <math.h>
#include <stdlib.h>

/* A PU whose time has run out is expected to need this part of the elapsed time yet. Larger: others
 * take over work that it is about to finish. Smaller: it is granted more while it is stuck. */
#define OVERDUE 0.25

/* Units for each PU up to which the last ones are dealt one by one. Larger: a solve takes longer. Smaller: a
 * PU that could take one of the last units in time is refused, or one that could not takes it. */
#define FEW_UNITS 4.0

double plb_busy(const struct plb_pu *pu, double now)
{
    return pu->outstanding > 0 ? fmax(pu->end - now, OVERDUE * (now - pu->begun)) : 0.0;
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

/* A PU and when it would end one more unit. */
struct next_end {
    double at;
    int pu, units;
};

/* Restores the heap, earliest end first, below a root that is later than before. */
static void sift(struct next_end *heap, int n)
{
    struct next_end moved = heap[0];
    int i = 0;
    for (int child = 1; child < n; child = 2 * i + 1) {
        child += child + 1 < n && heap[child + 1].at < heap[child].at;
        if (moved.at <= heap[child].at)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moved;
}

static int by_end(const void *a, const void *b)
{
    const struct next_end *x = a, *y = b;
    return x->at < y->at ? -1 : x->at > y->at;
}

double plb_last_units(const struct plb_model *models, const double *busy_s, int n, double unit, double work,
                      double seconds)
{
    struct next_end *heap = work <= FEW_UNITS * n * unit ? malloc((size_t)n * sizeof *heap) : NULL;
    int able = 0, left = (int)ceil(fmin(work / unit, FEW_UNITS * n));
    double end = seconds;
    if (heap == NULL)
        return seconds;
    for (int p = 0; p < n; p++)
        if (plb_model_known(&models[p]))
            heap[able++] = (struct next_end){busy_s[p] + plb_model_time(&models[p], unit), p, 1};
    qsort(heap, (size_t)able, sizeof *heap, by_end); /* a sorted array is a heap */
    for (; left > 0 && able > 0; left--) {
        struct next_end *first = &heap[0];
        end = first->at;
        first->units++;
        first->at = busy_s[first->pu] + plb_model_time(&models[first->pu], unit * first->units);
        sift(heap, able);
    }
    free(heap);
    return end;
}
