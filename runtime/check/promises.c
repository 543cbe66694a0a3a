/* Random ranges. */
#include "check/promises.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/reduce.h"
#include "base/memory.h"
#include "base/units.h"
#include "check/aside.h"
#include "check/task.h"
#include "host/crash.h"

#define SPLITS 200 /* of costs, for each phase */
#define TRIPLES 8  /* of tasks whose arrays are folded */

/* By how much the cost of a range may differ from those of its parts: of itself and, where it is the
 * difference of two sums, of the cost of all units. */
#define EXACT 1e-9
#define EXACT_OF_ALL 1e-12

/* A random range, and where it is split, in units from its begin. */
static struct plb_range split(struct plb_check *c, int64_t *at)
{
    int64_t units = c->job.app.units,
            count = 2 + plb_check_draw(c, plb_check_draw(c, 4) > 0 && units > 8 ? 7 : units - 1);
    *at = 1 + plb_check_draw(c, count - 1);
    return (struct plb_range){plb_check_draw(c, units - count + 1), count};
}

static void look_at_phase(struct plb_check *c, struct plb_phase phase)
{
    const struct plb_app *app = &c->job.app;
    double all = phase.cost(app, 0, app->units);
    for (int k = 0; k < SPLITS; k++, c->costs++) {
        int64_t at;
        struct plb_range r = split(c, &at);
        double whole = phase.cost(app, r.first, r.count), left = phase.cost(app, r.first, at),
               right = phase.cost(app, r.first + at, r.count - at);
        char one[PLB_RANGE_TEXT], other[PLB_RANGE_TEXT], both[PLB_RANGE_TEXT];
        if (fabs(left + right - whole) <= EXACT * fabs(whole) + EXACT_OF_ALL * fabs(all) && whole >= 0.0)
            continue;
        plb_range_print(r.first, at, c->job.kernel->unit, one);
        plb_range_print(r.first + at, r.count - at, c->job.kernel->unit, other);
        plb_range_print(r.first, r.count, c->job.kernel->unit, both);
        plb_found(
            &c->findings, PLB_FOUND_COST, -1,
            "its cost of %s is %.17g, that of %s is %.17g, and that of both, %s, is %.17g; a cost is not "
            "negative, and that of a range is the sum of its units' costs",
            one, left, other, right, both, whole);
    }
}

static void look_at_costs(void *context)
{
    struct plb_check *c = context;
    plb_crash_call(c->job.kernel->name, "cost");
    for (int i = 0; i < plb_phase_count(c->job.kernel); i++)
        if (plb_phase_at(c->job.kernel, i).cost != NULL)
            look_at_phase(c, plb_phase_at(c->job.kernel, i));
    plb_crash_call(c->job.kernel->name, NULL);
}

void plb_check_costs(struct plb_check *c)
{
    if (c->job.app.units > 1)
        plb_aside(look_at_costs, c);
}

/* ---------------------------------------------------------------------- folds */

enum { ONE, TWO, THREE, ALL, ARRAYS }; /* three tasks, and one that has all of their units */

struct triple {
    struct plb_range range[ARRAYS];
    char *array[ARRAYS]; /* of the buffer */
    char *a, *b;         /* to fold in */
};

/* The arrays of buffer i of the tasks. */
static bool make_arrays(struct plb_check *c, int i, struct triple *t, struct plb_error *err)
{
    void *results[PLB_MAX_DATA];
    for (int k = 0; k < ARRAYS; k++) {
        if (!plb_check_task(c, &c->order[0].way, t->range[k], false, results, err))
            return false;
        memcpy(t->array[k], results[i], c->set.at[i].bytes);
        plb_reduce_sort(&c->set.at[i], t->array[k]);
    }
    return true;
}

/* Folds one array into another, in a child where the kernel does it. */
static bool fold(struct plb_check *c, int i, char *into, const char *from, struct plb_error *err)
{
    if (c->set.at[i].op == PLB_OWN_FOLD)
        return plb_check_fold(c, i, into, from, err);
    plb_reduce_fold(&c->set.at[i], into, from);
    return true;
}

/* Makes `out` the fold of two arrays, none of which may be `out`. */
static bool fold_of(struct plb_check *c, int i, char *out, const char *one, const char *other,
                    struct plb_error *err)
{
    memcpy(out, one, c->set.at[i].bytes);
    return fold(c, i, out, other, err);
}

static void tell(struct plb_check *c, enum plb_finding kind, int i, const struct triple *t, const char *what)
{
    char text[3][PLB_RANGE_TEXT];
    for (int k = 0; k < 3; k++)
        plb_range_print(t->range[k].first, t->range[k].count, c->job.kernel->unit, text[k]);
    plb_found(&c->findings, kind, i, "the fold of '%.60s' %s (a, b, c: the arrays of %s, %s and %s)",
              c->set.at[i].name, what, text[0], text[1], text[2]);
}

/* The kernel's own fold, since the others are plbrun's. */
static bool look_at_own(struct plb_check *c, int i, struct triple *t, struct plb_error *err)
{
    struct plb_range two = {t->range[ONE].first, t->range[ONE].count + t->range[TWO].count};
    const char *one = t->array[ONE], *other = t->array[TWO], *third = t->array[THREE];
    size_t byte, bytes = c->set.at[i].bytes;
    char *neutral = plb_alloc(bytes), *c2 = plb_alloc(bytes);
    plb_reduce_clear(&c->set.at[i], neutral);
    bool done = fold_of(c, i, t->a, neutral, one, err) && fold_of(c, i, t->b, one, neutral, err);
    if (done
        && (!plb_check_same(c, i, t->range[ONE], t->a, one, &byte)
            || !plb_check_same(c, i, t->range[ONE], t->b, one, &byte)))
        tell(c, PLB_FOUND_NEUTRAL, i, t, "changes an array that is folded with `neutral`");
    done = done && fold_of(c, i, t->a, one, other, err) && fold_of(c, i, t->b, other, one, err);
    if (done && !plb_check_same(c, i, two, t->a, t->b, &byte))
        tell(c, PLB_FOUND_ORDER, i, t,
             "is not commutative: folding b into a gives another array than a into b");
    done = done && fold(c, i, t->a, third, err) && fold_of(c, i, c2, other, third, err)
        && fold_of(c, i, t->b, one, c2, err);
    if (done && !plb_check_same(c, i, t->range[ALL], t->a, t->b, &byte))
        tell(c, PLB_FOUND_GROUPS, i, t, "is not associative: (a, b), c gives another array than a, (b, c)");
    free(neutral);
    free(c2);
    return done;
}

/* Whether the arrays of three tasks are that of one. Not where outputs differ, since these do for the same
 * reason. */
static void look_at_parts(struct plb_check *c, int i, struct triple *t, struct plb_error *err)
{
    char parts[3][PLB_RANGE_TEXT], all[PLB_RANGE_TEXT];
    size_t byte;
    if (!fold_of(c, i, t->a, t->array[ONE], t->array[TWO], err) || !fold(c, i, t->a, t->array[THREE], err)
        || plb_check_same(c, i, t->range[ALL], t->a, t->array[ALL], &byte))
        return;
    for (int k = 0; k < 3; k++)
        plb_range_print(t->range[k].first, t->range[k].count, c->job.kernel->unit, parts[k]);
    plb_found(&c->findings, PLB_FOUND_REDUCED, i,
              "'%.60s' of one task of %s differs from the fold of those of %s, %s and %s; each unit must "
              "count exactly once, whatever its task",
              c->set.at[i].name,
              plb_range_print(t->range[ALL].first, t->range[ALL].count, c->job.kernel->unit, all), parts[0],
              parts[1], parts[2]);
}

static void look_at_buffer(struct plb_check *c, int i, struct triple *t, bool parts, struct plb_error *err)
{
    int n = c->findings.n;
    bool done = make_arrays(c, i, t, err) && (c->set.at[i].op != PLB_OWN_FOLD || look_at_own(c, i, t, err));
    if (done && parts && c->findings.n == n)
        look_at_parts(c, i, t, err);
}

void plb_check_folds(struct plb_check *c, struct plb_error *err)
{
    bool parts = c->findings.n == 0;
    for (int i = 0; i < c->set.n; i++) {
        struct triple t;
        int before = c->findings.n;
        size_t bytes = c->set.at[i].bytes;
        if (c->set.at[i].mode != PLB_REDUCE || c->set.units < 3 || c->job.kernel->once)
            continue;
        char *memory = plb_alloc(bytes * (ARRAYS + 2));
        for (int k = 0; k < ARRAYS; k++)
            t.array[k] = memory + (size_t)k * bytes;
        t.a = memory + ARRAYS * bytes;
        t.b = t.a + bytes;
        for (int k = 0; k < TRIPLES && err->status == PLB_OK; k++) {
            int64_t most = c->set.units / 3, count = 0;
            int64_t first = plb_check_draw(c, c->set.units - 3 * most + 1);
            for (int p = 0; p < 3; p++) {
                int64_t n = 1 + plb_check_draw(c, k % 2 == 0 && most > 8 ? 8 : most);
                t.range[p] = (struct plb_range){first + count, n};
                count += n;
            }
            t.range[ALL] = (struct plb_range){first, count};
            look_at_buffer(c, i, &t, parts && c->findings.n == before, err);
        }
        free(memory);
    }
}
