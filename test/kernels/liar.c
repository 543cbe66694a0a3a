/* liar: the PUs of one rank compute some units wrongly. The results are whole numbers, so that they are
 * exactly right or wrong. */
#include <stdlib.h>
#include <time.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"units", PLB_INT, "200", 1, 1e9, NULL, "how many"},
    {"nap", PLB_REAL, "1", 0, 1e9, NULL, "milliseconds that a unit sleeps"},
    {"rank", PLB_INT, "1", -1, 1e9, NULL, "that lies; -1: none"},
    {"lie", PLB_INT, "1", 1, 1e9, NULL, "what it adds to each of its results"},
    {"reduce", PLB_FLAG, "no", 0, 0, NULL, "units are summed up, and nothing else comes back"},
    {"writes", PLB_FLAG, "no", 0, 0, NULL, "an entry changes its input"},
    {"tolerant", PLB_INT, "0", 0, 1e9, NULL, "how far two results may differ and agree"},
    {"passes", PLB_INT, "1", 1, 1e9, NULL, "how many"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the results go, .npy"},
    {0},
};

enum { IN, OUT };

struct habits {
    double nap;
    int64_t rank, lie;
    bool reduce, writes;
};

/* Rank 0's. */
struct state {
    int64_t units, passes, *in, *out, sum, tolerance;
    bool reduce;
};

static int64_t my_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    return rank != NULL ? atoi(rank) : 0;
}

static int execute(const struct plb_task *task)
{
    const struct habits *habits = task->args;
    const int64_t *in = task->data[IN];
    int64_t *out = task->data[OUT], lie = my_rank() == habits->rank ? habits->lie : 0;
    wait_at_gate(task);
    long nanoseconds = (long)(habits->nap * 1e6 * (double)task->count);
    nanosleep(&(struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000}, NULL);
    if (habits->writes)
        ((int64_t *)task->data[IN])[0] = 1;
    for (int64_t i = 0; i < task->count; i++)
        out[habits->reduce ? 0 : i] = 3 * in[i] + lie + (habits->reduce ? *out : 0);
    return 0;
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct habits habits = {plb_app_real(app, "nap"), plb_app_int(app, "rank"), plb_app_int(app, "lie"),
                            plb_app_flag(app, "reduce"), plb_app_flag(app, "writes")};
    *s = (struct state){.units = plb_app_int(app, "units"),
                        .passes = plb_app_int(app, "passes"),
                        .tolerance = plb_app_int(app, "tolerant"),
                        .reduce = habits.reduce};
    s->in = plb_app_alloc_array(app, s->units, sizeof *s->in);
    s->out = plb_app_alloc_array(app, s->units, sizeof *s->out);
    for (int64_t i = 0; i < s->units; i++)
        s->in[i] = i;
    plb_app_set_state(app, s);
    plb_app_units(app, s->units);
    plb_app_args(app, &habits, sizeof habits);
    plb_app_data(app, &(struct plb_data){
                          .name = "in", .mode = PLB_PARTITION, .data = s->in, .unit_bytes = sizeof *s->in});
    if (s->reduce)
        plb_app_data(app, &(struct plb_data){.name = "sum",
                                             .mode = PLB_REDUCE,
                                             .data = &s->sum,
                                             .bytes = sizeof s->sum,
                                             .op = PLB_SUM,
                                             .type = PLB_INT64});
    else
        plb_app_data(app,
                     &(struct plb_data){
                         .name = "out", .mode = PLB_OUTPUT, .data = s->out, .unit_bytes = sizeof *s->out});
    if (plb_app_given(app, "out"))
        plb_app_save_npy(app, plb_app_text(app, "out"),
                         &(struct plb_array){s->out, sizeof *s->out, s->units, 1, false});
    return PLB_OK;
}

static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    const struct state *s = plb_app_state(app);
    const int64_t *one = results->one, *other = results->other;
    for (size_t i = 0; i < results->bytes / sizeof *one; i++)
        if (llabs(one[i] - other[i]) > s->tolerance)
            return (int64_t)(i * sizeof *one);
    return PLB_SAME;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    int64_t sum = 0;
    for (int64_t i = 0; i < s->units; i++) {
        sum += 3 * i;
        if (!s->reduce && s->out[i] != 3 * i) {
            plb_app_error(app, "unit %lld is %lld, and should be %lld", (long long)i, (long long)s->out[i],
                          (long long)(3 * i));
            return PLB_EVERIFY;
        }
    }
    if (!s->reduce || s->sum == sum)
        return PLB_OK;
    plb_app_error(app, "the sum is %lld, and should be %lld", (long long)s->sum, (long long)sum);
    return PLB_EVERIFY;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    const struct state *s = plb_app_state(app);
    *again = pass + 1 < s->passes;
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "liar",
    PLB_KERNEL_HEAD,
    .unit = "units",
    .summary = "one rank computes wrongly",
    .options = options,
    .cpu = execute,
    .setup = setup,
    .next = next,
    .verify = verify,
    .agree = agree,
};
