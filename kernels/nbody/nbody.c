/* nbody: bodies that attract each other, all pairs, by the leapfrog method.
 *
 * A unit is a body. A pass adds up what pulls at each body, and so ends one step and begins the next: half a
 * kick, which gives the velocities at this time and the energies; half a kick more, and the way to the next
 * positions. So `steps` steps are steps + 1 passes. Positions and velocities are then inputs of the next pass
 * (plb_app_feed). All ranks have the positions. Velocities stay at the ranks that computed them.
 *
 * Positions and velocities have the same bits on CPUs however bodies are split. Energies are sums of all
 * tasks. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "start.h"

enum { MASSES, POSITIONS, KICKS, VELOCITIES, NEW_POSITIONS, NEW_VELOCITIES, SUMS };            /* handles */
enum { TIME, KINETIC_ENERGY, POTENTIAL_ENERGY, ENERGY, ROW_MOMENTUM, ROW = ROW_MOMENTUM + 3 }; /* a row */

/* Times for which forces change velocities, and velocities positions. A replicated buffer. */
struct kicks {
    double before, after, drift; /* before: the half kick that ends the step before */
};

/* A journal keeps these. */
struct progress {
    double begin, drift; /* the energy at the begin; its largest difference from that, as a part of it */
    int64_t rows;        /* of the history */
};

struct state {
    struct space space;
    struct start start;
    void *masses, *positions, *velocities, *new_positions, *new_velocities;
    struct kicks *kicks;
    double *sums, *history, dt;
    int64_t steps, every;
    struct progress *progress;
};

static const struct plb_option options[] = {
    {"start", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "the bodies: .npy, n x 7, mass, x, y, z, vx, vy and vz of each; a Plummer sphere where not given"},
    {"bodies", PLB_INT, "10000", 2, 1e9, NULL, "of the Plummer sphere, whose mass is 1"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "of the Plummer sphere"},
    {"steps", PLB_INT, "100", 1, 1e9, NULL, "how many"},
    {"dt", PLB_REAL, "0.001", 1e-100, 1e100, NULL, "time of a step"},
    {"softening", PLB_REAL, "0", 0, 1e12, NULL,
     "a length: where r^2 is the square of a distance, forces and energies have r^2 + softening^2"},
    {"gravity", PLB_REAL, "1", 0, 1e100, NULL, "the constant of gravitation in the units of the bodies"},
    {"precision", PLB_TEXT, "float64", 0, 0, "float64|float32", "of positions, velocities and forces"},
    {"every", PLB_INT, "1", 1, 1e9, NULL, "steps between rows of the history"},
    {"positions", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the last positions go, .npy, n x 3"},
    {"velocities", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the last velocities go, .npy, n x 3"},
    {"end", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where all of it goes, .npy of float64, as start has it"},
    {"history", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where a row each few steps goes, .npy of float64: time, kinetic, potential and total energy, and the "
     "momentum in x, y and z"},
    {0},
};

/* Moves body i of the task, and adds its energies and momentum to the sums. */
static void move(const struct plb_task *task, int64_t i, const struct pull *pull)
{
    const struct space *s = task->args;
    const struct kicks *kicks = task->data[KICKS];
    const double mass = s->unit * number(s, task->data[MASSES], task->first + i),
                 pulls = s->gravity * s->unit;
    const double force[3] = {pulls * pull->x, pulls * pull->y, pulls * pull->z};
    double *sums = task->data[SUMS], square = 0.0;
    for (int k = 0; k < 3; k++) {
        double v = number(s, task->data[VELOCITIES], 3 * i + k) + kicks->before * force[k];
        square += v * v;
        sums[MOMENTUM + k] += mass * v;
        v += kicks->after * force[k];
        set_number(s, task->data[NEW_VELOCITIES], 3 * i + k, v);
        set_number(s, task->data[NEW_POSITIONS], 3 * i + k,
                   number(s, task->data[POSITIONS], 3 * (task->first + i) + k) + kicks->drift * v);
    }
    sums[KINETIC] += 0.5 * mass * square;
    sums[POTENTIAL] -= 0.5 * mass * (pulls * pull->depth);
}

static int advance(const struct plb_task *task)
{
    const int64_t count = task->count;
    struct pull *pull = calloc((size_t)count, sizeof *pull);
    if (pull == NULL)
        return 1;
#pragma omp parallel for schedule(dynamic, 1) num_threads(task->threads)
    for (int64_t at = 0; at < count; at += BLOCK)
        if (!plb_task_cancelled(task))
            pull_block(task->args, task->data[MASSES], task->data[POSITIONS], task->first + at,
                       count - at < BLOCK ? count - at : BLOCK, pull + at);
    for (int64_t i = 0; i < count; i++)
        move(task, i, pull + i);
    free(pull);
    return 0;
}

static void declare(struct plb_app *app, struct state *s)
{
    const size_t real = s->space.narrow ? sizeof(float) : sizeof(double), n = (size_t)s->space.n;
    const struct plb_data buffers[] = {
        [MASSES] = {.name = "masses", .mode = PLB_REPLICATE, .data = s->masses, .bytes = n * real},
        [POSITIONS] = {.name = "positions",
                       .mode = PLB_REPLICATE,
                       .data = s->positions,
                       .bytes = 3 * n * real},
        [KICKS] = {.name = "kicks", .mode = PLB_REPLICATE, .data = s->kicks, .bytes = sizeof *s->kicks},
        [VELOCITIES] = {.name = "velocities",
                        .mode = PLB_PARTITION,
                        .data = s->velocities,
                        .unit_bytes = 3 * real},
        [NEW_POSITIONS] = {.name = "new positions",
                           .mode = PLB_OUTPUT,
                           .data = s->new_positions,
                           .unit_bytes = 3 * real},
        [NEW_VELOCITIES] = {.name = "new velocities",
                            .mode = PLB_OUTPUT,
                            .data = s->new_velocities,
                            .unit_bytes = 3 * real},
        [SUMS] = {.name = "sums",
                  .mode = PLB_REDUCE,
                  .data = s->sums,
                  .bytes = ALL_SUMS * sizeof *s->sums,
                  .type = PLB_FLOAT64},
    };
    plb_app_units(app, s->space.n);
    plb_app_multiple(app, BLOCK);
    plb_app_args(app, &s->space, sizeof s->space);
    for (int i = MASSES; i <= SUMS; i++)
        plb_app_data(app, &buffers[i]);
    plb_app_feed(app, NEW_POSITIONS, POSITIONS);
    plb_app_feed(app, NEW_VELOCITIES, VELOCITIES);
    if (plb_app_given(app, "positions"))
        plb_app_save_npy(app, plb_app_text(app, "positions"),
                         &(struct plb_array){s->new_positions, real, s->space.n, 3, false});
    if (plb_app_given(app, "velocities"))
        plb_app_save_npy(app, plb_app_text(app, "velocities"),
                         &(struct plb_array){s->new_velocities, real, s->space.n, 3, false});
}

/* Fills the buffers from the bodies' rows. */
static int fill(struct plb_app *app, struct state *s)
{
    const size_t real = s->space.narrow ? sizeof(float) : sizeof(double);
    const double *rows = s->start.rows;
    int exponent = 0;
    double largest = 0.0;
    void **const threes[] = {&s->positions, &s->velocities, &s->new_positions, &s->new_velocities};
    for (int i = 0; i < 4; i++)
        *threes[i] = plb_app_alloc_array(app, s->space.n, 3 * real);
    s->masses = plb_app_alloc_array(app, s->space.n, real);
    for (int64_t i = 0; i < s->space.n; i++)
        largest = fmax(largest, rows[i * BODY_COLUMNS + MASS]);
    frexp(largest, &exponent);
    s->space.unit = ldexp(1.0, exponent);
    for (int64_t i = 0; i < s->space.n; i++) {
        const double *row = rows + i * BODY_COLUMNS;
        set_number(&s->space, s->masses, i, row[MASS] / s->space.unit);
        for (int k = 0; k < 3; k++) {
            set_number(&s->space, s->positions, 3 * i + k, row[PLACE + k]);
            set_number(&s->space, s->velocities, 3 * i + k, row[VELOCITY + k]);
        }
    }
    return plb_app_real(app, "softening") > 0.0 ? PLB_OK : start_apart(app, &s->space, s->positions);
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    if (start_read(app, &s->start) != PLB_OK)
        return PLB_EINPUT;
    s->steps = plb_app_int(app, "steps");
    s->every = plb_app_int(app, "every");
    s->dt = plb_app_real(app, "dt");
    const double softening = plb_app_real(app, "softening");
    s->space.n = s->start.n;
    s->space.gravity = plb_app_real(app, "gravity");
    s->space.narrow = plb_app_choice(app, "precision");
    s->space.softening = fmax(softening * softening, s->space.narrow ? NOTHING_NARROW : NOTHING);
    s->progress = plb_app_alloc(app, sizeof *s->progress);
    s->kicks = plb_app_alloc(app, sizeof *s->kicks);
    *s->kicks = (struct kicks){.after = 0.5 * s->dt, .drift = s->dt};
    s->sums = plb_app_alloc_array(app, ALL_SUMS, sizeof *s->sums);
    s->history = plb_app_alloc_array(app, s->steps / s->every + 2, ROW * sizeof *s->history);
    plb_app_keep(app, s->progress, sizeof *s->progress);
    plb_app_keep(app, s->history, (size_t)(s->steps / s->every + 2) * ROW * sizeof *s->history);
    if (!plb_app_simulated(app) && fill(app, s) != PLB_OK)
        return PLB_EINPUT;
    declare(app, s);
    return PLB_OK;
}

/* Pairs. */
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)first;
    return (double)count * (double)((const struct state *)plb_app_state(app))->space.n;
}

/* The energies at the time of the pass, after each one. */
static void note(struct state *s, int64_t pass)
{
    struct progress *p = s->progress;
    const double energy = s->sums[KINETIC] + s->sums[POTENTIAL];
    double *row = s->history + ROW * p->rows;
    if (pass == 0)
        p->begin = energy;
    p->drift = fmax(p->drift, fabs(energy - p->begin) / fmax(fabs(p->begin), DBL_MIN));
    if (pass % s->every != 0 && pass < s->steps)
        return;
    row[TIME] = (double)pass * s->dt;
    row[KINETIC_ENERGY] = s->sums[KINETIC];
    row[POTENTIAL_ENERGY] = s->sums[POTENTIAL];
    row[ENERGY] = energy;
    for (int k = 0; k < 3; k++)
        row[ROW_MOMENTUM + k] = s->sums[MOMENTUM + k];
    p->rows++;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    const bool last = pass + 1 == s->steps;
    if (!isfinite(s->sums[KINETIC] + s->sums[POTENTIAL]))
        return plb_app_error(app,
                             "after %lld steps a speed or an energy overflows, because bodies came too close "
                             "to each other; set a smaller nbody.dt or a larger nbody.softening",
                             (long long)pass);
    note(s, pass);
    *again = pass < s->steps;
    if (!*again)
        return PLB_OK;
    if (pass == 0 || last) {
        *s->kicks = (struct kicks){0.5 * s->dt, last ? 0.0 : 0.5 * s->dt, last ? 0.0 : s->dt};
        plb_app_replace(app, KICKS);
    }
    plb_app_feed(app, NEW_POSITIONS, POSITIONS);
    plb_app_feed(app, NEW_VELOCITIES, VELOCITIES);
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    return check_last_pass(app, &s->space,
                           &(struct last_pass){s->masses, s->positions, s->velocities, s->new_positions,
                                               s->new_velocities, s->sums, s->kicks->before});
}

static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct space *s = &((const struct state *)plb_app_state(app))->space;
    return results->buffer == SUMS ? agree_sums(s, results) : agree_vectors(s, results);
}

static int finish(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const double *first = s->history, *last = s->history + ROW * (s->progress->rows - 1);
    double change = 0.0;
    for (int k = ROW_MOMENTUM; k < ROW; k++)
        change += (last[k] - first[k]) * (last[k] - first[k]);
    printf("nbody: energy %.10g at time 0, and %.10g at time %.6g; it drifted by %.2g of it at most, and the "
           "momentum by %.2g\n",
           first[ENERGY], last[ENERGY], last[TIME], s->progress->drift, sqrt(change));
    if (plb_app_given(app, "end")) {
        double *rows = s->start.rows;
        for (int64_t i = 0; i < s->space.n * 3; i++) {
            rows[i / 3 * BODY_COLUMNS + PLACE + i % 3] = number(&s->space, s->new_positions, i);
            rows[i / 3 * BODY_COLUMNS + VELOCITY + i % 3] = number(&s->space, s->new_velocities, i);
        }
        if (plb_write_npy(app, plb_app_text(app, "end"),
                          &(struct plb_array){rows, sizeof *rows, s->space.n, BODY_COLUMNS, false})
            != PLB_OK)
            return PLB_EINPUT;
    }
    if (!plb_app_given(app, "history"))
        return PLB_OK;
    return plb_write_npy(app, plb_app_text(app, "history"),
                         &(struct plb_array){s->history, sizeof *s->history, s->progress->rows, ROW, false});
}

PLB_CUDA_ENTRY(nbody_cuda);     /* nbody.cu */
PLB_OPENCL_ENTRY(nbody_opencl); /* opencl/nbody.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "nbody",
    PLB_KERNEL_HEAD,
    .unit = "bodies",
    .summary = "bodies that attract each other, all pairs, step by step",
    .options = options,
    .cpu = advance,
    .cuda = nbody_cuda,
    .opencl = nbody_opencl,
    .setup = setup,
    .cost = cost,
    .next = next,
    .verify = verify,
    .finish = finish,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
