/* Medians of two groups of tasks: those up to half as large as the largest, and the others. Weak where a PU
 * has become faster after its first, small tasks: then it takes the difference for a start. */
#include "model/starts.h"

#include <math.h>
#include <string.h>

#include "model/median.h"

#define MOST (PLB_TALLY_KEPT + PLB_TALLY_FIRST) /* reports of a tally */

/* Tasks that make a median. Of small ones two do, too: the one then counts that speaks less for a start.
 * More: starts of short runs go unseen. Fewer: chance decides. */
#define ENOUGH 5
/* The part of a small task's time that its start takes at least. Larger: starts go unseen. Smaller: noise
 * counts as starts. */
#define LEAST 0.3
/* The relative distance from the line that half of the tasks keep. Larger: unequal units count as starts.
 * Smaller: noise hides starts. */
#define NEAR 0.15

/* A task's size and time, in the middle of some. */
struct middle {
    int n; /* tasks */
    double size, time;
};

/* The median size and time of tasks that are larger than `low` and not larger than `high`. */
static struct middle middle(const struct plb_timed *at, int n, double low, double high)
{
    double sizes[MOST], times[MOST];
    int k = 0;
    for (int i = 0; i < n; i++) {
        double own = at[i].work / at[i].tasks;
        if (!(own > low && own <= high))
            continue;
        sizes[k] = own;
        times[k++] = at[i].seconds / at[i].tasks;
    }
    if (k == 0)
        return (struct middle){0};
    return (struct middle){k, plb_median(sizes, k), plb_median(times, k)};
}

static double slope_of(const struct middle *small, const struct middle *large)
{
    return fmax((large->time - small->time) / (large->size - small->size), 0.0);
}

/* Where the line through both begins. */
static double start_of(const struct middle *small, const struct middle *large)
{
    return fmin(small->time, large->time) - slope_of(small, large) * small->size;
}

/* Of a few small tasks, the one that speaks least for a start: the first ones of a run are slow. */
static struct middle least_of(const struct plb_timed *at, int n, const struct middle *small,
                              const struct middle *large, double limit)
{
    struct middle least = *small;
    bool any = false;
    for (int i = 0; i < n; i++) {
        struct middle one = {small->n, at[i].work / at[i].tasks, at[i].seconds / at[i].tasks};
        if (one.size <= limit && (!any || start_of(&one, large) < start_of(&least, large))) {
            least = one;
            any = true;
        }
    }
    return least;
}

static double start_by_medians(const struct plb_timed *at, int n)
{
    double largest = 0.0, off[MOST];
    for (int i = 0; i < n; i++)
        largest = fmax(largest, at[i].work / at[i].tasks);
    struct middle small = middle(at, n, 0.0, 0.5 * largest), large = middle(at, n, 0.5 * largest, largest);
    if (small.n < 2 || large.n < ENOUGH)
        return 0.0;
    if (small.n < ENOUGH)
        small = least_of(at, n, &small, &large, 0.5 * largest);
    double slope = slope_of(&small, &large), start = start_of(&small, &large);
    if (!(start >= LEAST * small.time))
        return 0.0;
    for (int i = 0; i < n; i++)
        off[i] = fabs(at[i].seconds / (start * at[i].tasks + slope * at[i].work) - 1.0);
    return plb_median(off, n) <= NEAR ? start : 0.0;
}

double plb_starts_by_medians(const struct plb_tally *t)
{
    struct plb_timed all[MOST];
    if (t->n == 0)
        return 0.0;
    memcpy(all, t->first, (size_t)t->n_first * sizeof *all);
    memcpy(all + t->n_first, t->at, (size_t)t->n * sizeof *all);
    return start_by_medians(all, t->n_first + t->n);
}
