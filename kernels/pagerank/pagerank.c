/* pagerank: how important pages are by the links between them (Page, Brin, Motwani and Winograd 1999). A
 * reader follows a link of his page with probability `damping`, and goes to any page otherwise, as he does
 * where a page has no links. The rank of a page is how often he is there.
 *
 * A unit is a page, a pass is a step of the power method. For each page it adds what the pages that link to
 * it give: their ranks, divided by their links. Links stay at the MPI ranks that have them. The result of a
 * pass is how much each page gives, 8 bytes a page, and all MPI ranks need all of it in the next one. Eight
 * bytes at a random place are read for each addition, so a CPU's caches are its limit.
 *
 * A pass has the same bits whatever the split, but for two sums over all pages, which tasks add up. The next
 * pass uses one of them, so all ranks have the same bits with `run.reproducible = yes` alone. */
#include <math.h>
#include <stdio.h>
#include <time.h>

#include "graph.h"
#include "links.h"

enum { OFFSETS, FROM, OUT, GIVES, ANYWHERE, GIVES_NEXT, SUMS }; /* handles */

enum { CHANGE, STUCK, N_SUMS }; /* change of all ranks; rank of the pages without links */

struct state {
    struct pagerank_links graph;
    double damping, tolerance;
    double *gives, *next; /* what a page gives over each link; without links: its rank */
    double anywhere;      /* that each page gets from readers who follow no link */
    double sums[N_SUMS];
    double *ranks;
    int64_t passes, made;
    double first_s, last_s; /* when the first and the last pass had ended */
};

static const struct plb_option options[] = {
    {"graph", PLB_INPUT_FILE, NULL, 0, 0, NULL,
     "links, .mtx or .npz: an entry in row i and column j is a link from page i to page j; drawn where not "
     "given"},
    {"pages", PLB_INT, "1e6", 1, 2147483647, NULL, "of a drawn graph"},
    {"links", PLB_INT, "16", 1, 1e6, NULL, "of a page of a drawn graph, on average"},
    {"seed", PLB_INT, "1", 0, 1e15, NULL, "of a drawn graph"},
    {"damping", PLB_REAL, "0.85", 0, 1, NULL, "probability that a reader follows a link"},
    {"passes", PLB_INT, "100", 1, 1e9, NULL, "at most"},
    {"tolerance", PLB_REAL, "1e-9", 0, 1, NULL,
     "stops after a pass that changes all ranks together by no more"},
    {"ranks", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "where the ranks go, .npy; else nowhere"},
    {0},
};

static int step(const struct plb_task *task)
{
    const double damping = *(const double *)task->args, *gives = task->data[GIVES],
                 anywhere = *(const double *)task->data[ANYWHERE];
    const int64_t *offsets = (const int64_t *)task->data[OFFSETS] + task->first, base = offsets[0];
    const int32_t *from = task->data[FROM], *out = task->data[OUT];
    double *next = task->data[GIVES_NEXT], *sums = task->data[SUMS], change = 0.0, stuck = 0.0;
#pragma omp parallel for schedule(dynamic, 1024) num_threads(task->threads) reduction(+ : change, stuck)
    for (int64_t p = 0; p < task->count; p++) {
        double rank = anywhere
                    + damping * pagerank_gets(from + (offsets[p] - base), offsets[p + 1] - offsets[p], gives);
        double links = out[p] > 0 ? (double)out[p] : 1.0;
        change += fabs(rank - gives[task->first + p] * links);
        stuck += out[p] > 0 ? 0.0 : rank;
        next[p] = rank / links;
    }
    sums[CHANGE] = change;
    sums[STUCK] = stuck;
    return 0;
}

/* The rank that each page gets from readers who follow no link, if these pages without links have so much
 * rank. */
static double anywhere(const struct state *s, double stuck)
{
    return (1.0 - s->damping + s->damping * stuck) / (double)s->graph.pages;
}

/* All pages are equal at first. */
static void begin(struct plb_app *app, struct state *s)
{
    const int64_t n = s->graph.pages;
    int64_t stuck = 0;
    s->gives = plb_app_alloc_array(app, n, sizeof *s->gives);
    s->next = plb_app_alloc_array(app, n, sizeof *s->next);
    for (int64_t p = 0; p < n; p++) {
        int32_t out = s->graph.out[p];
        s->gives[p] = 1.0 / (double)n / (out > 0 ? (double)out : 1.0);
        stuck += out == 0;
    }
    s->anywhere = anywhere(s, (double)stuck / (double)n);
    if (plb_app_given(app, "ranks"))
        s->ranks = plb_app_alloc_array(app, n, sizeof *s->ranks);
}

static void declare(struct plb_app *app, struct state *s)
{
    const int64_t n = s->graph.pages;
    const struct plb_data buffers[] = {
        [OFFSETS] = {.name = "offsets",
                     .mode = PLB_REPLICATE,
                     .data = s->graph.offsets,
                     .bytes = (size_t)(n + 1) * sizeof *s->graph.offsets},
        [FROM] = {.name = "links",
                  .mode = PLB_PARTITION_INDEXED,
                  .data = s->graph.from,
                  .offsets = OFFSETS,
                  .element_bytes = sizeof *s->graph.from},
        [OUT] = {.name = "links out",
                 .mode = PLB_PARTITION,
                 .data = s->graph.out,
                 .unit_bytes = sizeof *s->graph.out},
        [GIVES] = {.name = "contributions",
                   .mode = PLB_REPLICATE,
                   .data = s->gives,
                   .bytes = (size_t)n * sizeof *s->gives},
        [ANYWHERE] = {.name = "anywhere",
                      .mode = PLB_REPLICATE,
                      .data = &s->anywhere,
                      .bytes = sizeof s->anywhere},
        [GIVES_NEXT] = {.name = "next contributions",
                        .mode = PLB_OUTPUT,
                        .data = s->next,
                        .unit_bytes = sizeof *s->next},
        [SUMS] = {.name = "sums",
                  .mode = PLB_REDUCE,
                  .data = s->sums,
                  .bytes = sizeof s->sums,
                  .op = PLB_SUM,
                  .type = PLB_FLOAT64},
    };
    for (int i = OFFSETS; i <= SUMS; i++)
        plb_app_data(app, &buffers[i]);
}

static int setup(struct plb_app *app)
{
    struct state *s = plb_app_alloc(app, sizeof *s);
    plb_app_set_state(app, s);
    s->damping = plb_app_real(app, "damping");
    s->tolerance = plb_app_real(app, "tolerance");
    s->passes = plb_app_int(app, "passes");
    if (pagerank_read(app, &s->graph) != PLB_OK)
        return PLB_EINPUT;
    if (!plb_app_simulated(app))
        begin(app, s);
    if (plb_app_given(app, "ranks"))
        plb_app_save_npy(app, plb_app_text(app, "ranks"),
                         &(struct plb_array){s->ranks, sizeof(double), s->graph.pages, 1, false});
    plb_app_units(app, s->graph.pages);
    plb_app_args(app, &s->damping, sizeof s->damping);
    declare(app, s);
    plb_app_feed(app, GIVES_NEXT, GIVES);
    return PLB_OK;
}

/* Links that are as much work as a page itself. */
#define PAGE 4.0

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    const struct state *s = plb_app_state(app);
    return (double)(s->graph.offsets[first + count] - s->graph.offsets[first]) + PAGE * (double)count;
}

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    struct state *s = plb_app_state(app);
    s->last_s = seconds_now();
    s->first_s = s->first_s > 0.0 ? s->first_s : s->last_s;
    s->made = pass + 1;
    *again = s->made < s->passes && s->sums[CHANGE] > s->tolerance;
    if (!*again)
        return PLB_OK;
    s->anywhere = anywhere(s, s->sums[STUCK]);
    plb_app_replace(app, ANYWHERE);
    plb_app_feed(app, GIVES_NEXT, GIVES);
    return PLB_OK;
}

static double rank_of(const struct state *s, int64_t page)
{
    int32_t out = s->graph.out[page];
    return s->next[page] * (out > 0 ? (double)out : 1.0);
}

static int finish(struct plb_app *app)
{
    struct state *s = plb_app_state(app);
    int64_t best = 0;
    for (int64_t p = 0; p < s->graph.pages; p++) {
        if (s->ranks != NULL)
            s->ranks[p] = rank_of(s, p);
        best = rank_of(s, p) > rank_of(s, best) ? p : best;
    }
    printf("pagerank: %lld pages, %lld links, %lld passes; the last one changed all ranks by %.3g\n",
           (long long)s->graph.pages, (long long)s->graph.links, (long long)s->made, s->sums[CHANGE]);
    printf("pagerank: page %lld is first, with a rank of %.6g\n", (long long)best + 1, rank_of(s, best));
    if (s->made > 1)
        printf("pagerank: %.3f ms a pass from the second one on\n",
               1e3 * (s->last_s - s->first_s) / (double)(s->made - 1));
    return PLB_OK;
}

/* All passes once more, by ranks instead of what pages give, and with sums in the other direction. Rounding
 * makes a difference of 1e-9 at most with 10 million links to a page. */
static int verify(struct plb_app *app)
{
    const struct state *s = plb_app_state(app);
    const struct pagerank_links *g = &s->graph;
    const double n = (double)g->pages;
    double *now = plb_app_alloc_array(app, g->pages, sizeof *now),
           *then = plb_app_alloc_array(app, g->pages, sizeof *then);
    for (int64_t p = 0; p < g->pages; p++)
        now[p] = 1.0 / n;
    for (int64_t made = 0; made < s->made; made++) {
        double stuck = 0.0;
        for (int64_t p = g->pages - 1; p >= 0; p--)
            stuck += g->out[p] == 0 ? now[p] : 0.0;
        for (int64_t p = 0; p < g->pages; p++) {
            double sum = 0.0;
            for (int64_t i = g->offsets[p + 1] - 1; i >= g->offsets[p]; i--)
                sum += now[g->from[i]] / (double)g->out[g->from[i]];
            then[p] = s->damping * (sum + stuck / n) + (1.0 - s->damping) / n;
        }
        double *other = now;
        now = then;
        then = other;
    }
    for (int64_t p = 0; p < g->pages; p++)
        if (!(fabs(now[p] - rank_of(s, p)) <= 1e-9 * now[p])) {
            plb_app_error(app, "the rank of page %lld is %.17g, the reference says %.17g", (long long)p + 1,
                          rank_of(s, p), now[p]);
            return PLB_EVERIFY;
        }
    return PLB_OK;
}

/* Sums of tasks are added up in another order by other threads. */
static int64_t agree(struct plb_app *app, const struct plb_twice *results)
{
    (void)app;
    return plb_app_agree_reals(results, 1e-9, results->buffer == SUMS ? 1e-15 : 0.0);
}

/* clang-format off: one field a line */
const struct plb_kernel plb_kernel = {
    .name = "pagerank",
    PLB_KERNEL_HEAD,
    .unit = "pages",
    .summary = "ranks of pages by the links between them, split by pages",
    .options = options,
    .cpu = step,
    .setup = setup,
    .cost = cost,
    .next = next,
    .verify = verify,
    .finish = finish,
    .agree = agree,
    .writes_all = true,
};
/* clang-format on */
