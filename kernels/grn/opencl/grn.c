/* grn by OpenCL: a group for each target, whose work-items share its sets. Each keeps a list of the best that
 * it has scored, in memory that is taken for the task; then a work-item for each target merges them. Scores
 * have the same bits as on CPUs. Every set is scored: it has no bounds, as the other entries do. */
#include "plb/opencl.h"
#include "../search.h"

enum { X, LOGS, TARGETS, BEST, Y, GROUP = 64 }; /* but for GROUP as in grn.c */

/* A pair of a list is a value and an index (plb_pair_float64); planes as word_at of search.h has them. */
static const char source[] = PLB_OPENCL_C(
    struct pair {
        double value;
        long index;
    };

    void add(global struct pair *list, long top, double value, long index) {
        long at = top - 1;
        if (!(value < list[at].value || (value == list[at].value && index < list[at].index)))
            return;
        for (; at > 0; at--) {
            const struct pair before = list[at - 1];
            if (!(value < before.value || (value == before.value && index < before.index)))
                break;
            list[at] = before;
        }
        list[at].value = value;
        list[at].index = index;
    }

    ulong word_of(global const ulong *planes, int levels, long words, long gene, int level, long w,
                  ulong all) {
        global const ulong *at = planes + (gene / 16 * (levels - 1) * words + w) * 16 + gene % 16;
        if (level > 0)
            return at[(level - 1) * words * 16];
        for (int l = 1; l < levels; l++)
            all &= ~at[(l - 1) * words * 16];
        return all;
    }

    double score_of(global const ulong *x, global const ulong *y, global const long *n_log_n, int levels,
                    int set, long samples, double alpha, double scale, const long *genes, long target) {
        const long words = (samples + 63) / 64;
        int patterns = 1;
        int count[81];
        for (int i = 0; i < set; i++)
            patterns *= levels;
        for (int i = 0; i < patterns * levels; i++)
            count[i] = 0;
        for (long w = 0; w < words; w++) {
            const long left = samples - 64 * w;
            const ulong all = left >= 64 ? ~0ul : (1ul << left) - 1;
            for (int p = 0; p < patterns; p++) {
                ulong both = all;
                int rest = p;
                for (int i = set - 1; i >= 0; i--) {
                    both &= word_of(x, levels, words, genes[i], rest % levels, w, all);
                    rest /= levels;
                }
                for (int l = 0; l < levels; l++)
                    count[p * levels + l] += (int)popcount(both
                                                           & word_of(y, levels, words, target, l, w, all));
            }
        }
        long of_target = n_log_n[samples];
        long with_samples = 0;
        long each = 0;
        long unseen = 0;
        for (int l = 0; l < levels; l++) {
            long has = 0;
            for (int p = 0; p < patterns; p++)
                has += count[p * levels + l];
            of_target -= n_log_n[has];
        }
        for (int p = 0; p < patterns; p++) {
            long seen = 0;
            for (int l = 0; l < levels; l++)
                seen += count[p * levels + l];
            long entropy = n_log_n[seen];
            for (int l = 0; l < levels; l++)
                entropy -= n_log_n[count[p * levels + l]];
            with_samples += entropy;
            each += seen > 0 ? entropy / seen : 0;
            unseen += seen == 0;
        }
        each += unseen * (of_target / samples);
        return ((double)with_samples + alpha * (double)each)
             / (scale * (alpha * (double)patterns + (double)samples));
    }

    kernel void find(long genes, long top, long samples, double alpha, double scale, int levels, int set,
                     int self, long first, long end, long target0, global const ulong *x,
                     global const ulong *y, global const long *n_log_n, global const long *targets,
                     global struct pair *lists) {
        const long items = get_local_size(0);
        const long target = targets[target0 + get_group_id(0)];
        global struct pair *list = lists + get_global_id(0) * top;
        long of[3];
        for (long i = 0; i < top; i++) {
            list[i].value = INFINITY;
            list[i].index = LONG_MAX;
        }
        for (of[0] = first; of[0] < end; of[0]++) {
            const long seconds = set > 1 ? genes : of[0] + 2;
            for (of[1] = of[0] + 1; of[1] < seconds; of[1]++) {
                const long thirds = set > 2 ? genes : of[1] + 2;
                for (of[2] = of[1] + 1; of[2] < thirds; of[2]++) {
                    bool there = of[set - 1] % items == get_local_id(0);
                    long index = 0;
                    for (int i = 0; i < set; i++) {
                        there = there && (self != 0 || of[i] != target);
                        index = index * genes + of[i];
                    }
                    if (there)
                        add(list, top,
                            score_of(x, y, n_log_n, levels, set, samples, alpha, scale, of, target),
                            index + 1);
                }
            }
        }
    });

static const char folding[] = PLB_OPENCL_C(
    struct pair {
        double value;
        long index;
    };

    kernel void merge(long top, long slices, long n, global const struct pair *lists,
                      global struct pair *best) {
        const long t = get_global_id(0);
        if (t >= n)
            return;
        for (long i = 0; i < slices * top; i++) {
            const struct pair one = lists[t * slices * top + i];
            long at = i < top ? i : top;
            for (; at > 0; at--) {
                const struct pair before = best[t * top + at - 1];
                if (!(one.value < before.value || (one.value == before.value && one.index < before.index)))
                    break;
                if (at < top)
                    best[t * top + at] = before;
            }
            if (at < top)
                best[t * top + at] = one;
        }
    });

int grn_opencl(const struct plb_task *task);
int grn_opencl(const struct plb_task *task)
{
    const struct search *s = task->args;
    const bool by_target = s->split == BY_TARGET;
    const int64_t first = by_target ? 0 : task->first, end = by_target ? s->genes : task->first + task->count;
    const int64_t target0 = by_target ? task->first : 0, n = by_target ? task->count : s->targets;
    const int64_t slices = GROUP;
    struct plb_pair_float64 *lists = plb_opencl_alloc(task, (size_t)(n * slices * s->top) * sizeof *lists);
    if (lists == NULL)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const struct plb_opencl_arg search[] = {PLB_OPENCL_VALUE(s->genes),
                                            PLB_OPENCL_VALUE(s->top),
                                            PLB_OPENCL_VALUE(s->samples),
                                            PLB_OPENCL_VALUE(s->alpha),
                                            PLB_OPENCL_VALUE(s->scale),
                                            PLB_OPENCL_VALUE(s->levels),
                                            PLB_OPENCL_VALUE(s->set),
                                            PLB_OPENCL_VALUE(s->self),
                                            PLB_OPENCL_VALUE(first),
                                            PLB_OPENCL_VALUE(end),
                                            PLB_OPENCL_VALUE(target0),
                                            PLB_OPENCL_DATA(task, X),
                                            PLB_OPENCL_DATA(task, s->series != 0 ? Y : X),
                                            PLB_OPENCL_DATA(task, LOGS),
                                            PLB_OPENCL_DATA(task, TARGETS),
                                            PLB_OPENCL_MEMORY(lists)};
    const struct plb_opencl_arg fold[] = {PLB_OPENCL_VALUE(s->top), PLB_OPENCL_VALUE(slices),
                                          PLB_OPENCL_VALUE(n), PLB_OPENCL_MEMORY(lists),
                                          PLB_OPENCL_DATA(task, BEST)};
    const size_t group = GROUP, all = (size_t)n * GROUP, targets = plb_opencl_items(n, GROUP);
    int status = plb_opencl_run(task, source, "find", 1, &all, &group, search,
                                sizeof search / sizeof *search);
    if (status == CL_SUCCESS)
        status = plb_opencl_run(task, folding, "merge", 1, &targets, &group, fold,
                                sizeof fold / sizeof *fold);
    const int freed = plb_opencl_free(task, lists);
    return status != CL_SUCCESS ? status : freed;
}
