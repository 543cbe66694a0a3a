/* Least time, least energy and least energy times delay are solved for. Corners and times in between become
 * deadlines, for which the least energy is solved. */
#include "model/energy/front.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/energy/front_sets.h"
#include "model/rounding.h"

/* Rows from which on no time is put between two others that are less than NEAR apart. More: tables of few PUs
 * are longer. Fewer: they have only corners. */
#define USUAL 12
#define NEAR 1.02

/* Rounds of equal finish times, until the speeds that PUs have at their shares stand. */
#define ROUNDS 8

/* A PU's times are a curve where half of its share takes this much longer than half of the time. Larger:
 * start costs are taken for a part of each unit's. Smaller: answers come from a search where a formula would
 * do. */
#define CURVED 0.005

struct solver {
    const struct plb_power_curves *job;
    struct plb_power_job lines;
    struct plb_power_pu *pus;
    double cap;
    double *x;
    struct plb_aim_answer answer; /* the latest */
    struct plb_front_point *corners;
    bool room;   /* memory was never short */
    bool curved; /* times are not in proportion to work */
};

/* The speed of each PU at the share that it has where all end together. */
static void set_speeds(struct solver *s)
{
    const struct plb_power_curves *job = s->job;
    double sum = 0.0;
    for (int i = 0; i < job->n; i++) {
        bool known = plb_model_known(&job->models[i]);
        s->pus[i] = (struct plb_power_pu){known ? plb_model_best_rate(&job->models[i]) : 0.0,
                                          job->dynamic_watts[i], job->node[i]};
        sum += s->pus[i].speed;
    }
    for (int round = 0; round < ROUNDS; round++) {
        double seconds = job->work / sum;
        sum = 0.0;
        for (int i = 0; i < job->n; i++) {
            double x = s->pus[i].speed * seconds;
            s->pus[i].speed = x > 0.0 ? x / plb_model_time(&job->models[i], x) : 0.0;
            sum += s->pus[i].speed;
        }
    }
}

static bool any_curved(const struct solver *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->job->n; i++)
        sum += s->pus[i].speed;
    for (int i = 0; i < s->job->n; i++) {
        double share = s->pus[i].speed * s->job->work / sum,
               whole = plb_model_time(&s->job->models[i], share);
        if (share > 0.0
            && fabs(plb_model_time(&s->job->models[i], 0.5 * share) - 0.5 * whole) > CURVED * 0.5 * whole)
            return true;
    }
    return false;
}

static bool begin(struct solver *s)
{
    const struct plb_power_curves *job = s->job;
    size_t n = (size_t)job->n + 1;
    s->pus = malloc(n * sizeof *s->pus);
    s->x = malloc(n * sizeof *s->x);
    s->corners = malloc(n * sizeof *s->corners);
    s->room = s->pus != NULL && s->x != NULL && s->corners != NULL;
    if (s->room)
        set_speeds(s);
    if (s->room)
        s->curved = any_curved(s);
    s->lines = (struct plb_power_job){s->pus, job->static_watts, job->n, job->n_nodes, job->rule, job->work};
    return s->room;
}

static void end(struct solver *s)
{
    free(s->pus);
    free(s->x);
    free(s->corners);
}

/* Whether there is an answer that keeps the limits. */
static bool solve(struct solver *s, enum plb_objective objective, double deadline_s)
{
    struct plb_aim aim = {objective, deadline_s, s->cap};
    if (s->curved && s->job->n <= PLB_CURVE_SETS)
        s->room = s->room && plb_objective_curves(s->job, &aim, s->x, &s->answer);
    else
        s->room = s->room && plb_objective_lines(&s->lines, &aim, s->x, &s->answer);
    return s->room && s->answer.state == PLB_AIM_MET;
}

/* ------------------------------------------------------------------------------- times */

struct times {
    double at[PLB_FRONT_ROWS];
    int n;
};

static void add_time(struct times *t, double seconds)
{
    int i = t->n;
    for (int k = 0; k < t->n; k++)
        if (fabs(t->at[k] - seconds) <= PLB_ROUNDING * seconds)
            return;
    if (t->n == PLB_FRONT_ROWS)
        return;
    for (; i > 0 && t->at[i - 1] > seconds; i--)
        t->at[i] = t->at[i - 1];
    t->at[i] = seconds;
    t->n++;
}

/* All corners where there is room for them, else as many as there is, evenly in the logarithm of time. */
static void add_corners(struct solver *s, struct times *t)
{
    int n = plb_objective_front(&s->lines, s->corners), room = PLB_FRONT_ROWS - t->n, next = 0;
    s->room = s->room && n >= 0;
    double first = n > 0 ? log(s->corners[0].seconds) : 0.0;
    double step = n > room ? (log(s->corners[n - 1].seconds) - first) / room : 0.0;
    for (int k = 0; k < n; k++)
        if (log(s->corners[k].seconds) >= first + next * step) {
            add_time(t, s->corners[k].seconds);
            next++;
        }
}

/* Times in the middle of the widest gaps. */
static void add_between(struct times *t)
{
    while (t->n > 1 && t->n < USUAL) {
        int widest = 1;
        for (int k = 2; k < t->n; k++)
            if (t->at[k] * t->at[widest - 1] > t->at[widest] * t->at[k - 1])
                widest = k;
        if (t->at[widest] < NEAR * t->at[widest - 1])
            return;
        add_time(t, sqrt(t->at[widest] * t->at[widest - 1]));
    }
}

/* ------------------------------------------------------------------------------- rows */

/* The least energy within this time, as the next row; not where the row before has no more. */
static void add_row(struct solver *s, double seconds, struct plb_front *front)
{
    int pus = s->job->n, n = front->n;
    if (!solve(s, PLB_OBJECTIVE_ENERGY, seconds))
        return;
    if (n > 0 && s->answer.joules >= front->rows[n - 1].joules * (1.0 - PLB_ROUNDING))
        return;
    double *x = front->x + (size_t)n * (size_t)pus;
    struct plb_front_row *row = &front->rows[front->n++];
    *row = (struct plb_front_row){s->answer.seconds, s->answer.joules, 0, x};
    memcpy(x, s->x, (size_t)pus * sizeof *x);
    for (int i = 0; i < pus; i++)
        row->working += x[i] > 0.0;
    const struct plb_front_row *best = &front->rows[front->least_edp];
    if (row->seconds * row->joules < best->seconds * best->joules)
        front->least_edp = n;
}

/* By sets: all rows, and the least energy within then_s. */
static bool by_sets(const struct plb_power_curves *job, double then_s, struct plb_front *front)
{
    struct plb_front then = {.x = front->x}; /* before the rows, which need the room */
    bool room = true;
    if (isfinite(then_s))
        room = plb_front_sets(job, 1, then_s, &then);
    if (then.n > 0)
        front->then_joules = then.rows[0].joules;
    return room && plb_front_sets(job, PLB_FRONT_ROWS, INFINITY, front);
}

static void by_deadlines(struct solver *s, double then_s, struct plb_front *front)
{
    struct times times = {.n = 0};
    for (int o = PLB_OBJECTIVE_TIME; o <= PLB_OBJECTIVE_EDP; o++)
        if (solve(s, (enum plb_objective)o, INFINITY))
            add_time(&times, s->answer.seconds);
    if (!isfinite(s->cap) && !s->curved)
        add_corners(s, &times);
    add_between(&times);
    for (int k = 0; k < times.n; k++)
        add_row(s, times.at[k], front);
    if (isfinite(then_s) && solve(s, PLB_OBJECTIVE_ENERGY, then_s))
        front->then_joules = s->answer.joules;
}

bool plb_front_make(const struct plb_power_curves *job, double power_cap, double then_s,
                    struct plb_front *front)
{
    struct solver s = {.job = job, .cap = power_cap};
    *front = (struct plb_front){.then_joules = (double)NAN};
    front->x = malloc(((size_t)job->n * PLB_FRONT_ROWS + 1) * sizeof *front->x);
    bool room = front->x != NULL && begin(&s);
    bool many = room && s.curved && job->n > PLB_CURVE_SETS && !isfinite(power_cap);
    if (many && plb_front_sets_fit(job)) {
        room = by_sets(job, then_s, front);
    } else if (room) {
        by_deadlines(&s, then_s, front);
        room = s.room;
    }
    end(&s);
    return room;
}

void plb_front_fini(struct plb_front *front)
{
    free(front->x);
    front->x = NULL;
}
