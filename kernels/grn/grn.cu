/* grn on a GPU: a block for each target, or several, which share its sets; a thread for some sets that differ
 * in their last gene. Scores have the same bits as on CPUs. A lower bound, as in scan.c, decides which sets
 * are scored, and those that may be among the best are put into the block's list by one thread. Then a block
 * for each target merges lists.
 *
 * Counting bits limits the speed. So the samples in which the last gene has level 0 are those of the other
 * genes without those of its other levels, and three words are added bit by bit before bits are counted.
 *
 * It is weak where lists are long: they are in global memory. Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { X, LOGS, TARGETS, BEST, Y }; /* as in grn.c */
enum { BY_TARGET, BY_PREDICTOR };   /* as in search.h */
constexpr int threads = 128, lanes = 16, mergers = 128;
constexpr int at_once = 3;       /* words */
constexpr int64_t enough = 2048; /* blocks: about those that a large GPU runs at a time, twice over */

/* Sets that a thread counts at a time: as many as registers allow. */
__host__ __device__ constexpr int sets_at_once(int levels, int set)
{
    return levels == 2 ? 4 : set == 3 ? 1 : 2;
}

struct search { /* the same as in search.h */
    int64_t genes, targets, top, samples;
    double alpha, scale;
    int32_t levels, set, split, series, self;
};

using pair = plb_pair_float64;

struct inputs {
    const uint64_t *x, *y;
    const int64_t *n_log_n, *target;
    int64_t target0, first, end; /* the first target of the task, and first genes of sets */
};

__device__ bool before(const pair &a, const pair &b)
{
    return a.value < b.value || (a.value == b.value && a.index < b.index);
}

__device__ void add(pair *list, int64_t top, const pair &one)
{
    int64_t at = top - 1;
    if (!before(one, list[at]))
        return;
    for (; at > 0 && before(one, list[at - 1]); at--)
        list[at] = list[at - 1];
    list[at] = one;
}

/* Word w of the samples in which a gene has each level. */
template <int levels> __device__ void words_of(const search &s, const uint64_t *planes, int64_t gene,
                                               int64_t words, int64_t w, uint64_t *of)
{
    const int64_t left = s.samples - 64 * w;
    const uint64_t *at = planes + (gene / lanes * (levels - 1) * words + w) * lanes + gene % lanes;
    of[0] = left >= 64 ? ~0ull : (1ull << left) - 1;
    for (int l = 1; l < levels; l++) {
        of[l] = at[(l - 1) * words * lanes];
        of[0] &= ~of[l];
    }
}

/* As score_of in search.h. */
template <int levels, int patterns>
__device__ double score_of(const search &s, const int64_t *n_log_n, int64_t of_target, const int *count)
{
    int64_t with_samples = 0, each = 0, unseen = 0;
#pragma unroll
    for (int p = 0; p < patterns; p++) {
        int seen = 0;
        for (int y = 0; y < levels; y++)
            seen += count[p * levels + y];
        int64_t entropy = n_log_n[seen];
        for (int y = 0; y < levels; y++)
            entropy -= n_log_n[count[p * levels + y]];
        with_samples += entropy;
        each += seen > 0 ? entropy / seen : 0;
        unseen += seen == 0;
    }
    each += unseen * (of_target / s.samples);
    return __ddiv_rn(
        __dadd_rn(static_cast<double>(with_samples), __dmul_rn(s.alpha, static_cast<double>(each))),
        __dmul_rn(s.scale, __dadd_rn(__dmul_rn(s.alpha, static_cast<double>(patterns)),
                                     static_cast<double>(s.samples))));
}

/* As bound_group in scan.c. */
template <int levels, int patterns>
__device__ float bound_of(const search &s, float penalty, const int *count)
{
    float bound = 0.0f;
#pragma unroll
    for (int p = 0; p < patterns; p++) {
        float seen = 0.0f, squares = 0.0f;
        for (int y = 0; y < levels; y++) {
            const float n = static_cast<float>(count[p * levels + y]);
            seen += n;
            squares += n * n;
        }
        const float all = seen + static_cast<float>(s.alpha);
        const float q = 2.0f * all * (1.0f - squares / (seen * seen));
        const float least = levels == 3 ? q + 0.7548f * fmaxf(q - all, 0.0f)
                                        : fminf(1.3601f * q, 0.1543f * all + 0.8457f * q);
        bound += seen > 0.0f ? least : penalty;
    }
    return bound;
}

/* Bits of three words. more: the last two may have some. */
__device__ int bits_of(const uint64_t *word, bool more)
{
    const uint64_t either = word[0] ^ word[1];
    const int ones = __popcll(either ^ word[2]);
    return more ? ones + 2 * __popcll((word[0] & word[1]) | (either & word[2])) : ones;
}

/* Words of genes and of a target, `at_once` of them. */
template <int levels> struct chunk {
    uint64_t of[levels][at_once]; /* the samples with each level */

    __device__ void load(const search &s, const uint64_t *planes, int64_t gene, int64_t words, int64_t w)
    {
        for (int u = 0; u < at_once; u++) {
            uint64_t word[levels] = {};
            if (w + u < words)
                words_of<levels>(s, planes, gene, words, w + u, word);
            for (int l = 0; l < levels; l++)
                of[l][u] = word[l];
        }
    }
};

/* Counts sets of the same genes but the last one. begin, count: samples of each pattern of these genes, and
 * of the sets, with each level of the target. They begin as 0. */
template <int levels, int set, int patterns, int many>
__device__ void count_sets(const search &s, const inputs &in, const int64_t *genes, const int64_t *last,
                           int64_t target, int (*begin)[levels], int (*count)[patterns][levels])
{
    constexpr int begins = patterns / levels;
    const int64_t words = (s.samples + 63) / 64;
    for (int64_t w = 0; w < words; w += at_once) {
        const bool more = w + 1 < words;
        chunk<levels> x[set > 1 ? set - 1 : 1], own[many], y;
        for (int i = 0; i + 1 < set; i++)
            x[i].load(s, in.x, genes[i], words, w);
        for (int g = 0; g < many; g++)
            own[g].load(s, in.x, last[g], words, w);
        y.load(s, in.y, target, words, w);
#pragma unroll
        for (int c = 0; c < begins * levels; c++) {
            uint64_t both[at_once], all[at_once];
#pragma unroll
            for (int u = 0; u < at_once; u++) {
                both[u] = y.of[c % levels][u];
                int rest = c / levels;
#pragma unroll
                for (int i = set - 2; i >= 0; i--, rest /= levels)
                    both[u] &= x[i].of[rest % levels][u];
            }
            begin[c / levels][c % levels] += bits_of(both, more);
#pragma unroll
            for (int g = 0; g < many; g++)
#pragma unroll
                for (int l = 1; l < levels; l++) {
#pragma unroll
                    for (int u = 0; u < at_once; u++)
                        all[u] = both[u] & own[g].of[l][u];
                    count[g][c / levels * levels + l][c % levels] += bits_of(all, more);
                }
        }
    }
#pragma unroll
    for (int g = 0; g < many; g++)
#pragma unroll
        for (int c = 0; c < begins * levels; c++) {
            int &none = count[g][c / levels * levels][c % levels];
            none = begin[c / levels][c % levels];
#pragma unroll
            for (int l = 1; l < levels; l++)
                none -= count[g][c / levels * levels + l][c % levels];
        }
}

/* Keeps the counted set of each thread if it is among the best; `there`: the thread has one. All threads of
 * the block call it. */
template <int levels, int set, int patterns>
__device__ void try_set(const search &s, const inputs &in, const int64_t *genes, const int *count, bool there,
                        int64_t of_target, pair *list)
{
    __shared__ pair found[threads];
    __shared__ int n_found;
    const double weight = s.alpha * patterns + static_cast<double>(s.samples);
    pair mine = {0.0, 0};
    const double penalty = s.alpha * static_cast<double>(of_target)
                         / (s.scale * static_cast<double>(s.samples));
    there = there
         && bound_of<levels, patterns>(s, static_cast<float>(penalty), count)
                <= list[s.top - 1].value * weight + 1e-5 * weight;
    if (there) {
        mine.value = score_of<levels, patterns>(s, in.n_log_n, of_target, count);
        for (int i = 0; i < set; i++)
            mine.index = mine.index * s.genes + genes[i];
        mine.index++;
        there = before(mine, list[s.top - 1]);
    }
    if (__syncthreads_or(there) == 0)
        return;
    if (threadIdx.x == 0)
        n_found = 0;
    __syncthreads();
    if (there)
        found[atomicAdd(&n_found, 1)] = mine;
    __syncthreads();
    for (int i = 0; threadIdx.x == 0 && i < n_found; i++)
        add(list, s.top, found[i]);
    __syncthreads();
}

/* Tries the sets of each thread: those with the genes `from` + thread, and so on, as their last one. All
 * threads of the block call it. */
template <int levels, int set, int patterns, int many>
__device__ void try_sets(const search &s, const inputs &in, int64_t *genes, int64_t from, int64_t to,
                         int64_t step, int64_t target, int64_t of_target, pair *list)
{
    int begin[patterns / levels][levels] = {}, count[many][patterns][levels] = {};
    int64_t last[many];
    bool any = true;
    for (int i = 0; i + 1 < set && s.self == 0; i++)
        any = any && genes[i] != target;
    for (int g = 0; g < many; g++) {
        last[g] = from + g * step + threadIdx.x;
        last[g] = last[g] < to ? last[g] : to - 1;
    }
    if (any && from + threadIdx.x < to)
        count_sets<levels, set, patterns, many>(s, in, genes, last, target, begin, count);
#pragma unroll
    for (int g = 0; g < many && from + g * step < to; g++) {
        const bool there = any && from + g * step + threadIdx.x < to && (s.self != 0 || last[g] != target);
        genes[set - 1] = last[g];
        try_set<levels, set, patterns>(s, in, genes, count[g][0], there, of_target, list);
    }
}

/* Block (slice, target) tries its share of a target's sets. */
template <int levels, int set, int patterns> __global__ void __launch_bounds__(threads)
    find(search s, inputs in, pair *lists)
{
    const int64_t slice = blockIdx.x, slices = gridDim.x, target = in.target[in.target0 + blockIdx.y];
    const int64_t words = (s.samples + 63) / 64;
    pair *list = lists + (static_cast<int64_t>(blockIdx.y) * slices + slice) * s.top;
    int all[levels] = {0};
    for (int64_t i = threadIdx.x; i < s.top; i += threads)
        list[i] = pair{INFINITY, PLB_NO_INDEX};
    for (int64_t w = 0; w < words; w++) {
        uint64_t y[levels];
        words_of<levels>(s, in.y, target, words, w, y);
        for (int l = 0; l < levels; l++)
            all[l] += __popcll(y[l]);
    }
    int64_t of_target = in.n_log_n[s.samples];
    for (int l = 0; l < levels; l++)
        of_target -= in.n_log_n[all[l]];
    __syncthreads();
    const auto try_last = [&](int64_t *genes, int64_t from, int64_t to, int64_t step) {
        constexpr int many = sets_at_once(levels, set);
        for (int64_t c0 = from; c0 < to; c0 += many * step)
            try_sets<levels, set, patterns, many>(s, in, genes, c0, to, step, target, of_target, list);
    };
    int64_t genes[3];
    if constexpr (set == 1)
        try_last(genes, in.first + slice * threads, in.end, slices * threads);
    for (genes[0] = in.first; set > 1 && genes[0] < in.end; genes[0]++)
        if constexpr (set == 2) {
            if (genes[0] % slices == slice)
                try_last(genes, genes[0] + 1, s.genes, threads);
        } else {
            for (genes[1] = genes[0] + 1; genes[1] < s.genes; genes[1]++)
                if (genes[1] % slices == slice)
                    try_last(genes, genes[1] + 1, s.genes, threads);
        }
}

/* The best of the slices' lists, which are sorted: block t merges those of target t. Each thread knows the
 * best pair that its lists have left, and the best one of all threads is the next one. */
__global__ void __launch_bounds__(mergers) merge(int64_t top, int64_t slices, const pair *lists, pair *best)
{
    extern __shared__ int64_t taken[]; /* of each list */
    __shared__ pair next[mergers];
    __shared__ int owner[mergers];
    const int me = static_cast<int>(threadIdx.x);
    pair mine = {INFINITY, PLB_NO_INDEX};
    int64_t from = me;
    lists += blockIdx.x * slices * top;
    for (int64_t l = me; l < slices; l += mergers)
        taken[l] = 0;
    for (int64_t i = 0; i < top; i++) {
        if (i == 0 || owner[0] == me) {
            mine = pair{INFINITY, PLB_NO_INDEX};
            for (int64_t l = me; l < slices; l += mergers)
                if (taken[l] < top && before(lists[l * top + taken[l]], mine)) {
                    mine = lists[l * top + taken[l]];
                    from = l;
                }
        }
        __syncthreads(); /* all know who had the last one */
        next[me] = mine;
        owner[me] = me;
        for (int half = mergers / 2; half > 0; half /= 2) {
            __syncthreads();
            if (me < half && before(next[me + half], next[me])) {
                next[me] = next[me + half];
                owner[me] = owner[me + half];
            }
        }
        __syncthreads();
        if (owner[0] == me) {
            best[blockIdx.x * top + i] = mine;
            if (from < slices)
                taken[from]++;
        }
    }
}

template <int levels, int set, int patterns>
void launch(const search &s, const inputs &in, dim3 grid, cudaStream_t stream, pair *lists)
{
    find<levels, set, patterns><<<grid, threads, 0, stream>>>(s, in, lists);
}

void launch_any(const search &s, const inputs &in, dim3 grid, cudaStream_t stream, pair *lists)
{
    switch (s.levels * 10 + s.set) {
    case 21: launch<2, 1, 2>(s, in, grid, stream, lists); break;
    case 22: launch<2, 2, 4>(s, in, grid, stream, lists); break;
    case 23: launch<2, 3, 8>(s, in, grid, stream, lists); break;
    case 31: launch<3, 1, 3>(s, in, grid, stream, lists); break;
    case 32: launch<3, 2, 9>(s, in, grid, stream, lists); break;
    default: launch<3, 3, 27>(s, in, grid, stream, lists); break;
    }
}

} // namespace

extern "C" int grn_cuda(const struct plb_task *task)
{
    const search s = *static_cast<const search *>(task->args);
    const auto stream = static_cast<cudaStream_t>(task->stream);
    const bool by_target = s.split == BY_TARGET;
    inputs in = {static_cast<const uint64_t *>(task->data[X]),
                 static_cast<const uint64_t *>(task->data[s.series != 0 ? Y : X]),
                 static_cast<const int64_t *>(task->data[LOGS]),
                 static_cast<const int64_t *>(task->data[TARGETS]),
                 by_target ? task->first : 0,
                 by_target ? 0 : task->first,
                 by_target ? s.genes : task->first + task->count};
    const int64_t n = by_target ? task->count : s.targets, most = 65535;
    pair *best = static_cast<pair *>(task->data[BEST]), *lists;
    for (int64_t t = 0; t < n; t += most) {
        const int64_t now = n - t < most ? n - t : most, slices = (enough + now - 1) / now;
        cudaError_t error = cudaMallocAsync(&lists, static_cast<size_t>(slices * now * s.top) * sizeof *lists,
                                            stream);
        if (error != cudaSuccess)
            return static_cast<int>(error);
        launch_any(s, in, dim3(static_cast<unsigned>(slices), static_cast<unsigned>(now)), stream, lists);
        merge<<<static_cast<unsigned>(now), mergers, static_cast<size_t>(slices) * sizeof(int64_t), stream>>>(
            s.top, slices, lists, best + t * s.top);
        error = cudaGetLastError();
        cudaFreeAsync(lists, stream);
        if (error != cudaSuccess)
            return static_cast<int>(error);
        in.target0 += now;
    }
    return 0;
}
