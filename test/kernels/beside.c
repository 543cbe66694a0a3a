/* beside: one pass over rows that do not begin their allocations, with an input, an indexed one and an
 * output. Each task waits at the gate. It first fills its results with other numbers, as an entry may.
 * BESIDE_LATE=K: the K-th task of rank 0 waits until nobody wants it, and leaves other numbers. */
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "plb/kernel.h"

static const struct plb_option options[] = {
    {"rows", PLB_INT, "400000", 1, 1e8, NULL, "how many"},
    {0},
};

enum { X, OFFSETS, LIST, Y };
enum { WORDS = 3, BEFORE = 8 }; /* words of a row; of an allocation before the buffer, 64 bytes */

static int64_t rows, *x, *offsets, *list, *y;

static int64_t result_of(int64_t row, int word)
{
    return 5 * row + word + (row % 3) * row;
}

/* Whether this task is the late one. */
static bool is_late(void)
{
    static atomic_long n;
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *late = getenv("BESIDE_LATE");
    return late != NULL && rank != NULL && strcmp(rank, "0") == 0
        && atomic_fetch_add(&n, 1) + 1 == strtol(late, NULL, 10);
}

static void fill(const struct plb_task *task, int64_t *out)
{
    for (int64_t i = 0; i < WORDS * task->count; i++)
        out[i] = -1;
}

static int entry(const struct plb_task *task)
{
    const int64_t *in = task->data[X], *at = (const int64_t *)task->data[OFFSETS] + task->first,
                  *own = task->data[LIST];
    int64_t *out = task->data[Y];
    fill(task, out);
    wait_at_gate(task);
    if (is_late()) {
        for (int i = 0; i < 2000 && !plb_task_cancelled(task); i++)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        fill(task, out);
        if (plb_task_cancelled(task))
            return 0;
    }
    for (int64_t i = 0; i < task->count; i++)
        for (int word = 0; word < WORDS; word++) {
            out[WORDS * i + word] = in[WORDS * i + word];
            for (int64_t e = at[i] - at[0]; e < at[i + 1] - at[0]; e++)
                out[WORDS * i + word] += own[e];
        }
    return 0;
}

static int setup(struct plb_app *app)
{
    rows = plb_app_int(app, "rows");
    x = (int64_t *)plb_app_alloc_array(app, WORDS * rows + BEFORE, sizeof *x) + BEFORE;
    y = (int64_t *)plb_app_alloc_array(app, WORDS * rows + BEFORE, sizeof *y) + BEFORE;
    list = (int64_t *)plb_app_alloc_array(app, 2 * rows + BEFORE, sizeof *list) + BEFORE;
    offsets = plb_app_alloc_array(app, rows + 1, sizeof *offsets);
    for (int64_t row = 0; row < rows && !plb_app_simulated(app); row++) {
        for (int word = 0; word < WORDS; word++)
            x[WORDS * row + word] = 5 * row + word;
        offsets[row + 1] = offsets[row] + row % 3;
        for (int64_t e = offsets[row]; e < offsets[row + 1]; e++)
            list[e] = row;
    }
    plb_app_units(app, rows);
    plb_app_data(app, &(struct plb_data){
                          .name = "x", .mode = PLB_PARTITION, .data = x, .unit_bytes = WORDS * sizeof *x});
    plb_app_data(app, &(struct plb_data){.name = "offsets",
                                         .mode = PLB_REPLICATE,
                                         .data = offsets,
                                         .bytes = (size_t)(rows + 1) * sizeof *offsets});
    plb_app_data(app, &(struct plb_data){.name = "list",
                                         .mode = PLB_PARTITION_INDEXED,
                                         .data = list,
                                         .offsets = OFFSETS,
                                         .element_bytes = sizeof *list});
    plb_app_data(
        app, &(struct plb_data){.name = "y", .mode = PLB_OUTPUT, .data = y, .unit_bytes = WORDS * sizeof *y});
    return PLB_OK;
}

static int verify(struct plb_app *app)
{
    for (int64_t row = 0; row < rows; row++)
        for (int word = 0; word < WORDS; word++)
            if (y[WORDS * row + word] != result_of(row, word))
                return plb_app_error(app, "beside: word %d of row %lld is %lld", word, (long long)row,
                                     (long long)y[WORDS * row + word]);
    return PLB_OK;
}

const struct plb_kernel plb_kernel = {
    .name = "beside",
    PLB_KERNEL_HEAD,
    .unit = "rows",
    .summary = "tests memory that ranks of a host share with rank 0",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .verify = verify,
};
