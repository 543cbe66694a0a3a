/* folds: every reduction but those of `modes`, in two passes, and a reference that looks at all units one
 * after the other. With `out` the reduced arrays are written as they are, bit by bit. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "plb/kernel.h"

enum { PASSES = 2, LISTS = 2, TOP = 5, VALUES = 50 }; /* few values: many units have equal ones */

static const struct plb_option options[] = {
    {"units", PLB_INT, "6000", 1, 1e8, NULL, "how many"},
    {"nap", PLB_REAL, "0", 0, 1, NULL, "seconds of sleep per unit"},
    {"out", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where sums go whose bits depend on the order, .npy"},
    {"fault", PLB_TEXT, "none", 0, 0, "none|bytes|pairs|lists|fold|op|type", "a wrong declaration"},
    {0},
};

/* The kernel's own fold: a product, and the units that are in it. */
struct product {
    uint64_t value; /* modulo the constant block */
    int64_t units;
};

static struct arrays {
    _Alignas(64) int32_t sum32;
    _Alignas(64) int32_t range32[2];
    _Alignas(64) float real32[3]; /* one array each: sum, min, max */
    _Alignas(64) struct plb_pair_float64 least64[LISTS];
    _Alignas(64) struct plb_pair_float32 most32[LISTS];
    _Alignas(64) struct plb_pair_int64 least_int64[LISTS];
    _Alignas(64) struct plb_pair_int32 most_int32[LISTS];
    _Alignas(64) struct plb_pair_float64 top64[LISTS][TOP];
    _Alignas(64) struct plb_pair_int32 top32[TOP];
    _Alignas(64) struct product product;
    _Alignas(64) double rounded; /* its bits depend on the order */
} got, expected;

static const struct args {
    uint64_t modulus;
    double nap;
} none = {1000000007u, 0.0};

static int64_t of(int64_t unit)
{
    return (int64_t)(plb_random_bits(7, (uint64_t)unit) % VALUES) - VALUES / 2;
}

/* One unit, in arrays that need not be plbrun's. */
static void add(struct arrays *a, const struct args *args, int64_t unit)
{
    int64_t value = of(unit), list = unit % LISTS;
    double real = unit % 97 == 3 ? (double)NAN : (double)value;
    a->sum32 = (int32_t)((uint32_t)a->sum32 + ((uint32_t)value << 24)); /* wraps around */
    a->range32[0] = (int32_t)value < a->range32[0] ? (int32_t)value : a->range32[0];
    a->range32[1] = (int32_t)value > a->range32[1] ? (int32_t)value : a->range32[1];
    a->real32[0] += (float)(value % 4);
    a->real32[1] = fminf(a->real32[1], (float)value);
    a->real32[2] = fmaxf(a->real32[2], (float)value);
    struct plb_pair_float64 pair64 = {real, unit};
    struct plb_pair_float32 pair32 = {.value = (float)real, .index = unit};
    struct plb_pair_int64 whole64 = {value, unit};
    struct plb_pair_int32 whole32 = {.value = (int32_t)value, .index = unit};
    plb_top_add(PLB_ARG_MIN, PLB_FLOAT64, &a->least64[list], 1, &pair64);
    plb_top_add(PLB_ARG_MAX, PLB_FLOAT32, &a->most32[list], 1, &pair32);
    plb_top_add(PLB_ARG_MIN, PLB_INT64, &a->least_int64[list], 1, &whole64);
    plb_top_add(PLB_ARG_MAX, PLB_INT32, &a->most_int32[list], 1, &whole32);
    plb_top_add(PLB_TOP_MAX, PLB_FLOAT64, a->top64[list], TOP, &pair64);
    plb_top_add(PLB_TOP_MIN, PLB_INT32, a->top32, TOP, &whole32);
    a->product.value = a->product.value * (uint64_t)(value + VALUES) % args->modulus;
    a->product.units++;
    a->rounded += exp((double)value) + (double)unit * 1e-3;
}

/* The buffers in the order of their declaration. */
struct place {
    size_t offset, bytes, top;
    enum plb_reduce_op op;
    enum plb_reduce_type type;
};
#define AT(member) offsetof(struct arrays, member), sizeof got.member
static const struct place places[] = {
    {AT(sum32), 0, PLB_SUM, PLB_INT32},           {AT(range32[0]), 0, PLB_MIN, PLB_INT32},
    {AT(range32[1]), 0, PLB_MAX, PLB_INT32},      {AT(real32[0]), 0, PLB_SUM, PLB_FLOAT32},
    {AT(real32[1]), 0, PLB_MIN, PLB_FLOAT32},     {AT(real32[2]), 0, PLB_MAX, PLB_FLOAT32},
    {AT(least64), 0, PLB_ARG_MIN, PLB_FLOAT64},   {AT(most32), 0, PLB_ARG_MAX, PLB_FLOAT32},
    {AT(least_int64), 0, PLB_ARG_MIN, PLB_INT64}, {AT(most_int32), 0, PLB_ARG_MAX, PLB_INT32},
    {AT(top64), TOP, PLB_TOP_MAX, PLB_FLOAT64},   {AT(top32), 0, PLB_TOP_MIN, PLB_INT32},
    {AT(product), 0, PLB_OWN_FOLD, PLB_FLOAT64},  {AT(rounded), 0, PLB_SUM, PLB_FLOAT64},
};
enum { BUFFERS = sizeof places / sizeof *places, PRODUCT = 12 };

static void copy(struct arrays *a, const struct plb_task *task, bool out)
{
    for (int i = 0; i < BUFFERS; i++) {
        void *mine = (char *)a + places[i].offset;
        memcpy(out ? task->data[i] : mine, out ? mine : task->data[i], places[i].bytes);
    }
}

static int entry(const struct plb_task *task)
{
    const struct args *args = task->args;
    struct arrays a;
    wait_at_gate(task);
    copy(&a, task, false);
    for (int64_t u = task->first; u < task->first + task->count; u++)
        add(&a, args, u);
    for (int i = 0; i < TOP / 2; i++) { /* pairs may come in any order */
        struct plb_pair_int32 pair = a.top32[i];
        a.top32[i] = a.top32[TOP - 1 - i];
        a.top32[TOP - 1 - i] = pair;
    }
    copy(&a, task, true);
    double seconds = args->nap * (double)task->count;
    if (seconds > 0.0)
        nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))}, NULL);
    return 0;
}

static void fold(const struct plb_folding *folding)
{
    struct product *into = folding->into;
    const struct product *from = folding->from;
    const struct args *args = folding->args;
    if (folding->buffer != PRODUCT || folding->bytes != sizeof *into)
        abort();
    into->value = into->value * from->value % args->modulus;
    into->units += from->units;
}

static void declare_wrong(struct plb_data *d, const char *fault)
{
    if (strcmp(fault, "bytes") == 0)
        *d = (struct plb_data){.op = PLB_SUM, .type = PLB_INT32, .bytes = 6};
    if (strcmp(fault, "pairs") == 0)
        *d = (struct plb_data){.op = PLB_ARG_MIN, .type = PLB_INT32, .bytes = 24};
    if (strcmp(fault, "lists") == 0)
        *d = (struct plb_data){.op = PLB_TOP_MIN, .type = PLB_FLOAT64, .bytes = 64, .top = 3};
    if (strcmp(fault, "op") == 0)
        *d = (struct plb_data){.op = (enum plb_reduce_op)77, .bytes = 8};
    if (strcmp(fault, "type") == 0)
        *d = (struct plb_data){.type = (enum plb_reduce_type)9, .bytes = 8};
    d->name = "wrong";
    d->mode = PLB_REDUCE;
    d->data = &expected;
}

static int setup(struct plb_app *app)
{
    static const struct product one = {1, 0};
    struct args args;
    const char *fault = plb_app_text(app, "fault");
    memset(&args, 0, sizeof args);
    args.modulus = none.modulus;
    args.nap = plb_app_real(app, "nap");
    plb_app_units(app, plb_app_int(app, "units"));
    plb_app_args(app, &args, sizeof args);
    for (int i = 0; i < BUFFERS; i++) {
        struct plb_data d = {.name = "reduced",
                             .mode = PLB_REDUCE,
                             .data = (char *)&got + places[i].offset,
                             .bytes = places[i].bytes,
                             .op = places[i].op,
                             .type = places[i].type,
                             .top = places[i].top,
                             .neutral = &one};
        if (i == 0 && strcmp(fault, "none") != 0)
            declare_wrong(&d, fault);
        plb_app_data(app, &d);
    }
    if (plb_app_given(app, "out"))
        plb_app_save_npy(app, plb_app_text(app, "out"),
                         &(struct plb_array){&got.rounded, sizeof got.rounded, 1, 1, false});
    return PLB_OK;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    (void)app;
    *again = pass + 1 < PASSES;
    return PLB_OK;
}

static void clear_pairs(struct arrays *a)
{
    for (int l = 0; l < LISTS; l++) {
        a->least64[l] = (struct plb_pair_float64){INFINITY, PLB_NO_INDEX};
        a->most32[l] = (struct plb_pair_float32){.value = -INFINITY, .index = PLB_NO_INDEX};
        a->least_int64[l] = (struct plb_pair_int64){INT64_MAX, PLB_NO_INDEX};
        a->most_int32[l] = (struct plb_pair_int32){.value = INT32_MIN, .index = PLB_NO_INDEX};
        for (int i = 0; i < TOP; i++)
            a->top64[l][i] = (struct plb_pair_float64){-INFINITY, PLB_NO_INDEX};
    }
    for (int i = 0; i < TOP; i++)
        a->top32[i] = (struct plb_pair_int32){.value = INT32_MAX, .index = PLB_NO_INDEX};
}

static int verify(struct plb_app *app)
{
    memset(&expected, 0, sizeof expected);
    expected.range32[0] = INT32_MAX;
    expected.range32[1] = INT32_MIN;
    expected.real32[1] = INFINITY;
    expected.real32[2] = -INFINITY;
    expected.product.value = 1;
    clear_pairs(&expected);
    for (int64_t u = 0; u < plb_app_int(app, "units"); u++)
        add(&expected, &none, u);
    for (int i = 0; i < BUFFERS - 1; i++)
        if (memcmp((char *)&got + places[i].offset, (char *)&expected + places[i].offset, places[i].bytes)
            != 0) {
            plb_app_error(app, "buffer %d differs from the reference", i);
            return PLB_EVERIFY;
        }
    if (fabs(got.rounded - expected.rounded) <= 1e-12 * expected.rounded)
        return PLB_OK;
    plb_app_error(app, "the sum is %.17g, the reference says %.17g", got.rounded, expected.rounded);
    return PLB_EVERIFY;
}

static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    (void)app;
    if (results->buffer == BUFFERS - 1)
        return plb_app_agree_reals(results, 1e-12, 0.0);
    return memcmp(results->one, results->other, results->bytes) == 0 ? PLB_SAME : 0;
}

const struct plb_kernel plb_kernel = {
    .name = "folds",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .summary = "every reduction",
    .options = options,
    .cpu = entry,
    .setup = setup,
    .next = next,
    .verify = verify,
    .agree = agree,
    .fold = fold,
};
