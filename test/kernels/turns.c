/* turns: two inputs that are fed in turns, each by one phase, with results that stay. `grow` makes a + 1 of
 * a, `sum` makes x + a of x, so after n passes of each x is 1 + 2 + ... + n. Each task looks whether its
 * inputs are of the same pass, after it has waited at the gate (gate.h). With gather = N rank 0 gets the
 * results of two passes after every N. */
#include <stdio.h>

#include "gate.h"
#include "plb/kernel.h"

enum { A, X, GROWN, SUMMED };
#define WORDS 500 /* of a unit in each buffer */

static int64_t units, turns, gather;
static const int64_t *summed;

static int grow(const struct plb_task *task)
{
    const int64_t *a = task->data[A], *x = task->data[X];
    int64_t *grown = task->data[GROWN];
    wait_at_gate(task);
    for (int64_t i = 0; i < task->count * WORDS; i++) {
        if (x[i] != a[i] * (a[i] + 1) / 2)
            return 1;
        grown[i] = a[i] + 1;
    }
    return 0;
}

static int sum(const struct plb_task *task)
{
    const int64_t *a = task->data[A], *x = task->data[X];
    int64_t *to = task->data[SUMMED];
    wait_at_gate(task);
    for (int64_t i = 0; i < task->count * WORDS; i++) {
        if (x[i] != a[i] * (a[i] - 1) / 2)
            return 2;
        to[i] = x[i] + a[i];
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    static const char *const names[] = {"a", "x", "grown", "summed"};
    units = plb_app_int(app, "units");
    turns = plb_app_int(app, "turns");
    gather = plb_app_int(app, "gather");
    plb_app_units(app, units);
    for (int i = A; i <= SUMMED; i++) {
        int64_t *words = plb_app_alloc_array(app, units * WORDS, sizeof *words);
        summed = words; /* the last one */
        plb_app_data(app, &(struct plb_data){.name = names[i],
                                             .mode = i < GROWN ? PLB_PARTITION : PLB_OUTPUT,
                                             .data = words,
                                             .unit_bytes = WORDS * sizeof *words,
                                             .stays = i >= GROWN});
    }
    plb_app_feed(app, GROWN, A);
    plb_app_feed(app, SUMMED, X);
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    const bool grew = pass % 2 == 0;
    plb_app_feed(app, grew ? GROWN : SUMMED, grew ? A : X);
    plb_app_phase(app, grew);
    if (gather > 0 && pass % gather < 2)
        plb_app_gather(app, grew ? SUMMED : GROWN);
    *again = pass + 1 < 2 * turns;
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    for (int64_t i = 0; i < units * WORDS; i++)
        if (summed[i] != turns * (turns + 1) / 2) {
            plb_app_error(app, "row %lld is %lld", (long long)(i / WORDS), (long long)summed[i]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

static const struct plb_option options[] = {
    {"units", PLB_INT, "100", 1, 1e6, NULL, "how many"},
    {"turns", PLB_INT, "200", 1, 1e6, NULL, "passes of each phase"},
    {"gather", PLB_INT, "0", 0, 1e6, NULL, "passes after which two are gathered; 0: none is"},
    {0},
};
static const struct plb_phase phases[] = {
    {"grow", grow, NULL, NULL, NULL}, {"sum", sum, NULL, NULL, NULL}, {0}};

const struct plb_kernel plb_kernel = {.name = "turns",
                                      PLB_KERNEL_HEAD,
                                      .unit = "rows",
                                      .summary = "two inputs that are fed in turns",
                                      .options = options,
                                      .phases = phases,
                                      .setup = setup,
                                      .next = next,
                                      .verify = verify};
