/* breaks: a kernel that breaks one of its promises, which plbrun --check must find. Without a fault it keeps
 * all of them. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plb/kernel.h"

enum { X, TABLE, Y, NUMBER, BEST, SUM };

/* The last tasks of a pass do it, and all where nothing else is said. */
enum fault {
    NONE,
    INPUT,      /* writes into a partitioned input */
    TABLE_TOO,  /* writes into a replicated one */
    EXIT,       /* ends the process */
    DIVIDES,    /* divides by zero */
    REFUSES,    /* returns a number */
    WRITES_ALL, /* leaves bytes as they were */
    HALO,       /* reads the unit behind its range, without a halo */
    BEFORE,     /* reads the unit before it */
    COST,       /* has a cost that does not add up */
    FOLD,       /* has a fold that is not associative */
    ORDER,      /* nor commutative */
    NEUTRAL,    /* declares a neutral element that is none */
    FROM,       /* folds into the other array */
    REPLICATE,  /* indexes a REPLICATE as a PARTITION */
    BEYOND,     /* writes a byte behind its part of an output */
    REDUCED,    /* leaves the first unit of each task out of a sum */
    STATIC,     /* reads memory of setup, which other ranks have not */
    STATE,      /* remembers its calls */
    POISON,     /* adds to what an output holds */
    THREADS,    /* starts a thread, and is `single` */
    NEXT,       /* changes an input between passes, and does not say so */
    PART,       /* changes more than the part that it tells */
    KEPT,       /* changes a partitioned input between passes */
};

static const struct plb_option options[] = {
    {"units", PLB_INT, "1000", 3, 1e9, NULL, "how many"},
    {"fault", PLB_TEXT, "none", 0, 0,
     "none|input|table|exit|divides|refuses|writes_all|halo|before|cost|fold|order|neutral|from|replicate|"
     "beyond|reduced|static|state|poison|threads|next|part|kept",
     "what it does wrong"},
    {0},
};

/* Its own fold keeps the largest value, and counts units. */
struct best {
    double value;
    int64_t units;
};
static const struct best neutral = {-1.0, 0}, wrong_neutral = {1000.0, 3};

static struct arrays {
    double *x, *table;
} arrays; /* set on rank 0 alone */
static volatile int64_t calls;
static volatile int32_t none_of_it;

static void *nap(void *unused)
{
    for (;;)
        sleep(100);
    return unused;
}

static int misbehave(const struct plb_task *task, enum fault fault)
{
    double *x = task->data[X], *table = task->data[TABLE], *y = task->data[Y];
    pthread_t thread;
    switch (fault) {
    case INPUT: x[task->count - 1] = 0.0; break;
    case TABLE_TOO: table[5] = 1.0; break;
    case EXIT: exit(3);
    case DIVIDES: y[0] = 7 / none_of_it; break;
    case REFUSES: return plb_task_error(task, "it has no licence");
    case HALO: y[0] += 0.0 * x[task->count]; break;
    case BEFORE: y[0] += 0.0 * x[-1]; break;
    case BEYOND: ((char *)(y + task->count))[0] = 1; break;
    case THREADS: return pthread_create(&thread, NULL, nap, NULL);
    default: break;
    }
    return 0;
}

static int entry(const struct plb_task *task)
{
    enum fault fault = *(const enum fault *)task->args;
    const double *x = task->data[X], *table = task->data[TABLE];
    double *y = task->data[Y], *sum = task->data[SUM];
    struct best *best = task->data[BEST];
    int64_t *number = task->data[NUMBER];
    for (int64_t i = 0; i < task->count; i++) {
        int64_t u = task->first + i;
        double value = x[i] + table[fault == REPLICATE ? i : u];
        value += fault == STATIC ? arrays.table[u] : 0.0;
        value += fault == STATE ? (double)calls : 0.0;
        y[i] = fault == POISON ? y[i] + value : value;
        if (fault != WRITES_ALL || u % 300 != 7)
            number[i] = u;
        best->value = best->value > value ? best->value : value;
        best->units++;
        *sum += fault == REDUCED && i == 0 ? 0.0 : value;
    }
    calls++;
    return task->first + task->count > 900 ? misbehave(task, fault) : 0;
}

static enum fault fault_of(const struct plb_app *app)
{
    return (enum fault)plb_app_choice(app, "fault");
}

static int setup(struct plb_app *app)
{
    int64_t units = plb_app_int(app, "units");
    enum fault fault = fault_of(app);
    size_t each = sizeof(double), all = (size_t)units * each;
    double *x = plb_app_alloc(app, all), *table = plb_app_alloc(app, all);
    struct best *best = plb_app_alloc(app, sizeof *best);
    for (int64_t u = 0; u < units; u++) {
        x[u] = plb_random_real(1, (uint64_t)u);
        table[u] = plb_random_real(2, (uint64_t)u);
    }
    arrays = (struct arrays){x, table};
    plb_app_units(app, units);
    plb_app_args(app, &fault, sizeof fault);
    const struct plb_data buffers[] = {
        [X] = {.name = "x", .mode = PLB_PARTITION, .data = x, .unit_bytes = each},
        [TABLE] = {.name = "table", .mode = PLB_REPLICATE, .data = table, .bytes = all},
        [Y] = {.name = "y", .mode = PLB_OUTPUT, .data = plb_app_alloc(app, all), .unit_bytes = each},
        [NUMBER] = {.name = "index", .mode = PLB_OUTPUT, .data = plb_app_alloc(app, all), .unit_bytes = each},
        [BEST] = {.name = "best",
                  .mode = PLB_REDUCE,
                  .data = best,
                  .bytes = sizeof *best,
                  .op = PLB_OWN_FOLD,
                  .neutral = fault == NEUTRAL ? &wrong_neutral : &neutral},
        [SUM] = {.name = "sum",
                 .mode = PLB_REDUCE,
                 .data = plb_app_alloc(app, each),
                 .bytes = each,
                 .op = PLB_SUM,
                 .type = PLB_FLOAT64},
    };
    for (int i = X; i <= SUM; i++)
        plb_app_data(app, &buffers[i]);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    (void)first;
    return fault_of(app) == COST ? (double)(count * count) : (double)count;
}

/* The fold knows the fault by the constant block. */
static void fold(const struct plb_folding *folding)
{
    enum fault fault = *(const enum fault *)folding->args;
    struct best *into = folding->into;
    const struct best *from = folding->from;
    bool either = into->units == 0 || from->units == 0;
    if (!either && fault == FOLD)
        into->value = (into->value + from->value) / 2.0;
    else if (fault == ORDER ? from->units > 0 : from->value > into->value)
        into->value = from->value;
    into->units += from->units;
    if (fault == FROM)
        ((struct best *)folding->from)->units = 0;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    enum fault fault = fault_of(app);
    *again = pass == 0;
    arrays.table[0] += 1.0;
    arrays.table[1] += 1.0;
    arrays.x[8] += fault == KEPT ? 1.0 : 0.0;
    if (fault == PART)
        plb_app_replace_part(app, TABLE, 0, sizeof *arrays.table);
    else if (fault != NEXT)
        plb_app_replace(app, TABLE);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "breaks",
    PLB_KERNEL_HEAD,
    .unit = "beads",
    .summary = "breaks its promises",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .cost = cost,
    .next = next,
    .fold = fold,
    .writes_all = true,
    .single = true,
};
