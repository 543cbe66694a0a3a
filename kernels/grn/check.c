#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Samples that are looked at for sets which are not in the answer: about a second. At least one target is
 * tried. */
#define MOST_STEPS 500000000

/* Scores differ by no more than the rounding of some logarithms. */
#define ROUNDING 1e-12

static double entropy_of(const int64_t *count, int levels, int64_t all)
{
    double sum = 0.0;
    for (int y = 0; y < levels; y++)
        if (count[y] > 0)
            sum -= (double)count[y] / (double)all * log2((double)count[y] / (double)all);
    return sum;
}

/* The formula as the paper has it. */
static double score(const struct answer *a, int64_t target, const int64_t *genes)
{
    const struct search *s = a->s;
    const int64_t n = a->table->samples;
    int64_t count[27][3] = {{0}}, all[3] = {0};
    double sum = 0.0;
    int patterns = 1, unseen = 0;
    for (int i = 0; i < s->set; i++)
        patterns *= s->levels;
    for (int64_t i = 0; i < s->samples; i++) {
        int p = 0, y = a->level[target * n + i + s->series];
        for (int k = 0; k < s->set; k++)
            p = p * s->levels + a->level[genes[k] * n + i];
        count[p][y]++;
        all[y]++;
    }
    for (int p = 0; p < patterns; p++) {
        int64_t f = 0;
        for (int y = 0; y < s->levels; y++)
            f += count[p][y];
        unseen += f == 0;
        if (f > 0)
            sum += ((double)f + s->alpha) * entropy_of(count[p], s->levels, f);
    }
    sum += s->alpha * unseen * entropy_of(all, s->levels, s->samples);
    return sum / (s->alpha * patterns + (double)s->samples);
}

static bool is_in(const struct search *s, int64_t gene, const int64_t *genes)
{
    for (int i = 0; i < s->set; i++)
        if (genes[i] == gene)
            return true;
    return false;
}

/* The next set in order; false after the last one. */
static bool next_set(const struct search *s, int64_t *genes)
{
    int i = s->set - 1;
    /* NOLINTNEXTLINE(clang-analyzer-core*): a set has MOST_SET genes at most */
    while (i >= 0 && genes[i] == s->genes - s->set + i)
        i--;
    if (i < 0)
        return false;
    for (genes[i]++; ++i < s->set;)
        genes[i] = genes[i - 1] + 1;
    return true;
}

/* A random set. */
static void draw_set(const struct search *s, uint64_t seed, int64_t *genes)
{
    uint64_t at = 0;
    for (int i = 0; i < s->set; i++) {
        int64_t gene;
        bool again;
        do {
            gene = (int64_t)(plb_random_bits(seed, at++) % (uint64_t)s->genes);
            again = false;
            for (int k = 0; k < i; k++)
                again = again || genes[k] == gene;
        } while (again);
        int k = i;
        for (; k > 0 && genes[k - 1] > gene; k--)
            genes[k] = genes[k - 1];
        genes[k] = gene;
    }
}

static int refuse(struct plb_app *app, const struct answer *a, int64_t t, const int64_t *genes, double value)
{
    char room[32], set[200] = "";
    for (int i = 0; i < a->s->set; i++) {
        size_t n = strlen(set);
        snprintf(set + n, sizeof set - n, " %.60s", table_name(a->table, genes[i], room));
    }
    plb_app_error(app,
                  "target '%.60s': the reference says that the set%s has the score %.17g; the result says "
                  "otherwise",
                  table_name(a->table, a->target[t], room), set, value);
    return PLB_EVERIFY;
}

/* The sets of a target's list: sorted, allowed and rightly scored. */
static int check_list(struct plb_app *app, const struct answer *a, int64_t t)
{
    const struct search *s = a->s;
    const struct plb_pair_float64 *list = a->best + t * s->top;
    for (int64_t i = 0; i < s->top && list[i].index != PLB_NO_INDEX; i++) {
        int64_t genes[MOST_SET];
        genes_of(s, list[i].index, genes);
        for (int k = 0; k < s->set; k++)
            if (genes[k] < 0 || genes[k] >= s->genes || (k > 0 && genes[k] <= genes[k - 1]))
                return plb_app_error(app, "target %lld: entry %lld of the result is not a set of genes",
                                     (long long)t + 1, (long long)i + 1),
                       PLB_EVERIFY;
        double value = score(a, a->target[t], genes);
        bool sorted = i == 0 || list[i - 1].value < list[i].value
                   || (list[i - 1].value == list[i].value && list[i - 1].index < list[i].index);
        if (!sorted || !(fabs(value - list[i].value) <= ROUNDING)
            || (!s->self && is_in(s, a->target[t], genes)))
            return refuse(app, a, t, genes, value);
    }
    return PLB_OK;
}

/* Whether a set that is not in the list belongs there. */
static int check_other(struct plb_app *app, const struct answer *a, int64_t t, const int64_t *genes)
{
    const struct search *s = a->s;
    const struct plb_pair_float64 *list = a->best + t * s->top;
    if (!s->self && is_in(s, a->target[t], genes))
        return PLB_OK;
    double value = score(a, a->target[t], genes);
    if (value > list[s->top - 1].value - ROUNDING)
        return PLB_OK;
    for (int64_t i = 0; i < s->top; i++)
        if (list[i].index == index_of(s, genes))
            return PLB_OK;
    return refuse(app, a, t, genes, value);
}

int check_answer(struct plb_app *app, const struct answer *a)
{
    const struct search *s = a->s;
    double sets = 1.0;
    for (int i = 0; i < s->set; i++)
        sets *= (double)(s->genes - i) / (i + 1);
    const double each = sets * (double)s->samples;
    const int64_t some = each < MOST_STEPS ? (int64_t)(MOST_STEPS / each) : 1;
    const int64_t tried = some < s->targets ? some : s->targets;
    int status = PLB_OK;
    for (int64_t t = 0; t < s->targets && status == PLB_OK; t++)
        status = check_list(app, a, t);
    for (int64_t i = 0; i < tried && status == PLB_OK; i++) {
        const int64_t t = tried > 1 ? i * (s->targets - 1) / (tried - 1) : s->targets - 1;
        int64_t genes[MOST_SET] = {0, 1, 2};
        bool more = true;
        for (int64_t k = 0; each < MOST_STEPS && more && status == PLB_OK; k++) {
            status = check_other(app, a, t, genes);
            more = next_set(s, genes);
        }
        for (int64_t k = 0; each >= MOST_STEPS && k < MOST_STEPS / s->samples && status == PLB_OK; k++) {
            draw_set(s, (uint64_t)k, genes);
            status = check_other(app, a, t, genes);
        }
    }
    return status;
}
