/* grn: gene regulatory networks. For each target gene it finds the sets of genes that best predict it, by
 * exhaustive search (Borelli, de Camargo, Martins and Rozante, 2013).
 *
 * Expression has two or three levels. The score of a set is the mean conditional entropy of the target, so
 * the least is the best; of equal scores the lower genes. A unit is a target; where targets are few, it is
 * the first gene of a set, and later ones have fewer sets. The table is on every rank, as bits.
 *
 * The result has the same bits in every run, whatever the split, the device and the instruction set. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

enum { X, LOGS, TARGETS, BEST, Y }; /* handles; Y in a time series */

#define MOST_GENES 2000000   /* the genes of a set are one int64_t */
#define MOST_SAMPLES 8000000 /* counts are exact in float32 */

/* Fewer targets than this are tried all together, and a unit is a predictor. More: results of each task grow
 * with the targets. Fewer: some PUs find no target left. */
#define FEW_TARGETS 64

struct state {
    struct search search;
    struct table table;
    uint8_t *level; /* genes x samples */
    int64_t *target;
    struct plb_pair_float64 *best;
    uint64_t *x, *y;
    int64_t *logs;
};

static const struct plb_option options[] = {
    {"table", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "expression, .csv or .tsv: a row for each gene, its name first; made up where not given"},
    {"genes", PLB_INT, "1000", 1, MOST_GENES, NULL, "made-up table: rows"},
    {"samples", PLB_INT, "100", 1, MOST_SAMPLES, NULL, "made-up table: columns"},
    {"seed", PLB_INT, "1", 0, 9007199254740992.0, NULL, "made-up table: seed of its numbers"},
    {"levels", PLB_INT, "2", 2, 3, NULL, "levels of expression, 2 or 3"},
    {"method", PLB_TEXT, "mean", 0, 0, METHODS, "what decides the level; discrete: values are levels"},
    {"series", PLB_FLAG, "no", 0, 0, NULL, "samples are a time series: each one explains the next"},
    {"self", PLB_FLAG, "no", 0, 0, NULL, "time series: a target may be its own predictor"},
    {"targets", PLB_INPUT_FILE, NULL, 0, 0, NULL, "names of target genes, one a line; all where not given"},
    {"set", PLB_INT, "1", 1, MOST_SET, NULL, "genes of a predictor set, 1 to 3"},
    {"top", PLB_INT, "5", 1, 10000, NULL, "sets that are kept for each target"},
    {"alpha", PLB_REAL, "1", 0, 1e6, NULL, "weight of patterns that no sample has"},
    {"network", PLB_OUTPUT_FILE, NULL, 0, 0, NULL,
     "where the result goes, .tsv: target, predictors and score, best first"},
    {0},
};

static int search_targets(const struct plb_task *task)
{
    const struct search *s = task->args;
    const struct tables in = {task->data[X], task->data[s->series ? Y : X], task->data[LOGS],
                              task->data[TARGETS]};
    struct plb_pair_float64 *best = task->data[BEST];
    const bool by_target = s->split == BY_TARGET;
    const int64_t t0 = by_target ? task->first : 0, n = by_target ? task->count : s->targets;
    const int64_t first = by_target ? 0 : task->first, end = by_target ? s->genes : first + task->count;
    for (int64_t i = 0; i < n * s->top && by_target; i++)
        best[i] = (struct plb_pair_float64){INFINITY, PLB_NO_INDEX};
    for (int64_t i = 0; i < n && !plb_task_cancelled(task); i += BATCH)
        if (!search_batch(task, &in, t0 + i, n - i < BATCH ? n - i : BATCH, first, end, best + i * s->top))
            return 1;
    return 0;
}

/* ------------------------------------------------------------------- rank 0 */

/* Sets of k of n genes. */
static double sets_of(int64_t n, int k)
{
    double sets = 1.0;
    for (int i = 0; i < k; i++)
        sets *= (double)(n - i) / (double)(i + 1);
    return n >= k ? sets : 0.0;
}

static void declare(struct plb_app *app, struct state *s)
{
    const struct search *c = &s->search;
    const size_t planes = (size_t)words_in_planes(c) * sizeof *s->x;
    const size_t list = (size_t)c->top * sizeof *s->best;
    const struct plb_data buffers[] = {
        [X] = {.name = "predictors", .mode = PLB_REPLICATE, .data = s->x, .bytes = planes},
        [LOGS] = {.name = "logarithms",
                  .mode = PLB_REPLICATE,
                  .data = s->logs,
                  .bytes = (size_t)(c->samples + 1) * sizeof *s->logs},
        [TARGETS] = {.name = "targets",
                     .mode = PLB_REPLICATE,
                     .data = s->target,
                     .bytes = (size_t)c->targets * sizeof *s->target},
        [BEST] = {.name = "best", .mode = PLB_OUTPUT, .data = s->best, .unit_bytes = list},
        [Y] = {.name = "outcomes", .mode = PLB_REPLICATE, .data = s->y, .bytes = planes},
    };
    struct plb_data few = {.name = "best",
                           .mode = PLB_REDUCE,
                           .data = s->best,
                           .bytes = (size_t)c->targets * list,
                           .op = PLB_TOP_MIN,
                           .type = PLB_FLOAT64,
                           .top = (size_t)c->top};
    plb_app_units(app, c->split == BY_TARGET ? c->targets : c->genes - c->set + 1);
    plb_app_args(app, c, sizeof *c);
    for (int i = X; i <= (c->series ? Y : BEST); i++)
        plb_app_data(app, i == BEST && c->split == BY_PREDICTOR ? &few : &buffers[i]);
}

static int check_sizes(struct plb_app *app, const struct state *s)
{
    const struct search *c = &s->search;
    const char *path = s->table.path != NULL ? s->table.path : "the made-up table";
    const int64_t others = c->genes - (s->search.self ? 0 : 1);
    if (c->set > others)
        return plb_app_error(app,
                             "%s: has %lld genes, which is too few for sets of %d besides the target; "
                             "set grn.set to a smaller number",
                             path, (long long)c->genes, c->set);
    if (c->genes > MOST_GENES || s->table.samples > MOST_SAMPLES)
        return plb_app_error(app, "%s: has %lld genes and %lld samples, but at most %d and %d were expected",
                             path, (long long)c->genes, (long long)s->table.samples, MOST_GENES,
                             MOST_SAMPLES);
    if (c->samples < 1)
        return plb_app_error(app, "%s: has one sample, but a time series has at least two", path);
    return PLB_OK;
}

static void print(const struct plb_app *app, FILE *out)
{
    const struct state *s = plb_app_state(app);
    const struct search *c = &s->search;
    char room[32];
    fputs("target", out);
    for (int i = 0; i < c->set; i++)
        fprintf(out, "\tpredictor%d", i + 1);
    fputs("\tscore\n", out);
    for (int64_t i = 0; i < c->targets * c->top; i++) {
        int64_t genes[MOST_SET];
        if (s->best[i].index == PLB_NO_INDEX || s->best[i].index == 0) /* 0: it is missing */
            continue;
        fputs(table_name(&s->table, s->target[i / c->top], room), out);
        genes_of(c, s->best[i].index, genes);
        for (int k = 0; k < c->set; k++)
            fprintf(out, "\t%s", table_name(&s->table, genes[k], room));
        fprintf(out, "\t%.17g\n", s->best[i].value);
    }
}

static void fill(struct plb_app *app, struct state *s)
{
    const struct search *c = &s->search;
    s->x = plb_app_alloc_array(app, words_in_planes(c), sizeof *s->x);
    s->logs = plb_app_alloc_array(app, c->samples + 1, sizeof *s->logs);
    s->best = plb_app_alloc_array(app, c->targets * c->top, sizeof *s->best);
    table_planes(c, &s->table, s->level, 0, s->x);
    if (c->series) {
        s->y = plb_app_alloc_array(app, words_in_planes(c), sizeof *s->y);
        table_planes(c, &s->table, s->level, 1, s->y);
    }
    for (int64_t i = 1; i <= c->samples; i++)
        s->logs[i] = llround(c->scale * (double)i * log2((double)i));
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    struct search *c = &s->search;
    const int64_t *targets;
    plb_app_set_state(app, s);
    if (table_read(app, &s->table) != PLB_OK)
        return PLB_EINPUT;
    memset(c, 0, sizeof *c);
    c->series = plb_app_flag(app, "series");
    c->self = c->series && plb_app_flag(app, "self");
    c->genes = s->table.genes;
    c->samples = s->table.samples - c->series;
    c->levels = (int32_t)plb_app_int(app, "levels");
    c->set = (int32_t)plb_app_int(app, "set");
    c->top = plb_app_int(app, "top");
    c->alpha = plb_app_real(app, "alpha");
    c->scale = exp2(60.0 - ceil(log2((double)c->samples * log2((double)c->samples + 2.0) + 2.0)));
    if (check_sizes(app, s) != PLB_OK || table_targets(app, &s->table, &targets, &c->targets) != PLB_OK)
        return PLB_EINPUT;
    c->split = c->targets < FEW_TARGETS ? BY_PREDICTOR : BY_TARGET;
    s->target = plb_app_alloc_array(app, c->targets, sizeof *s->target);
    for (int64_t t = 0; t < c->targets; t++)
        s->target[t] = targets != NULL ? targets[t] : t;
    if (s->table.values != NULL) {
        s->level = plb_app_alloc_array(app, c->genes, (size_t)s->table.samples);
        if (table_levels(app, &s->table, c->levels, s->level) != PLB_OK)
            return PLB_EINPUT;
    }
    if (!plb_app_simulated(app))
        fill(app, s);
    declare(app, s);
    if (plb_app_given(app, "network"))
        plb_app_save_text(app, plb_app_text(app, "network"), print);
    return PLB_OK;
}

/* Sets, times the targets that each one is tried for. */
static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct search *c = &((const struct state *)plb_app_state(app))->search;
    double sets = 0.0;
    if (c->split == BY_TARGET)
        return (double)count * sets_of(c->genes, c->set);
    sets = sets_of(c->genes - first, c->set) - sets_of(c->genes - first - count, c->set);
    return (double)c->targets * sets;
}

static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    return check_answer(app, &(struct answer){&s->search, &s->table, s->level, s->target, s->best});
}

PLB_CUDA_ENTRY(grn_cuda);     /* grn.cu */
PLB_OPENCL_ENTRY(grn_opencl); /* opencl/grn.c */

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "grn",
    PLB_KERNEL_HEAD,
    .unit = "genes",
    .summary = "gene regulatory networks: the sets of genes that best predict each gene",
    .options = options,
    .cpu = search_targets,
    .cuda = grn_cuda,
    .opencl = grn_opencl,
    .setup = setup,
    .cost = cost,
    .verify = verify,
    .writes_all = true,
};
/* clang-format on */
