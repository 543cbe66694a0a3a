/* A lower bound of the score decides, since it needs no logarithm. With f samples of a pattern, of which c
 * have a level, q = 2 (1 - sum (c / f)^2) is 0 where one level has all of them. Entropy in bits is at least
 *
 *     min(1.3601 q, 0.1543 + 0.8457 q)     for two levels: it is concave, and these are chords of it
 *     q + 0.7548 max(0, q - 1)             for three (Harremoes and Topsoe, 2001)
 *
 * Sets whose last genes are neighbours are scanned side by side. Where all genes of a set have levels above
 * 0, and so has the target, samples are counted: an AND and a popcount for 64 of them. Other counts are
 * differences, because the levels of a gene add up to all samples. */
#include "scan.h"

#include <math.h>
#include <string.h>

#define STEEP 1.3601f
#define FLAT 0.8457f
#define BEND 0.7548f

/* Functions with rows are always inlined, so that no call depends on how rows are passed. */
#pragma GCC diagnostic ignored "-Wpsabi"
#define INLINE static inline __attribute__((always_inline))

/* A number for each lane; the compiler makes them of what registers there are. */
typedef float row __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t whole_row __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint64_t half_row __attribute__((vector_size(LANES * 4), aligned(8), may_alias));
typedef int32_t half_whole_row __attribute__((vector_size(LANES * 2), aligned(4), may_alias));
#define HALF (LANES / 2)

/* Words whose bits can be counted in bytes before the bytes are added up. */
#define BYTES_LAST 31

/* Counts the bits of mask & plane of a half of the lanes. */
INLINE half_row count_half(bool counting, int64_t words, const uint64_t *plane, const uint64_t *mask)
{
    half_row sum = {0};
    if (counting) {
        for (int64_t w = 0; w < words; w++) {
            half_row both = *(const half_row *)(plane + w * LANES) & mask[w];
            uint64_t bits[HALF];
            memcpy(bits, &both, sizeof bits);
#pragma omp simd
            for (int l = 0; l < HALF; l++)
                bits[l] = (uint64_t)__builtin_popcountll(bits[l]);
            memcpy(&both, bits, sizeof both);
            sum += both;
        }
        return sum;
    }
    for (int64_t w = 0; w < words;) {
        half_row bytes = {0};
        for (int64_t end = w + BYTES_LAST < words ? w + BYTES_LAST : words; w < end; w++) {
            half_row both = *(const half_row *)(plane + w * LANES) & mask[w];
            both -= both >> 1 & UINT64_C(0x5555555555555555);
            both = (both & UINT64_C(0x3333333333333333)) + (both >> 2 & UINT64_C(0x3333333333333333));
            bytes += (both + (both >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
        }
        bytes = (bytes & UINT64_C(0x00ff00ff00ff00ff)) + (bytes >> 8 & UINT64_C(0x00ff00ff00ff00ff));
        bytes += bytes >> 16;
        bytes += bytes >> 32;
        sum += bytes & 0xffff;
    }
    return sum;
}

INLINE row count_bits(bool counting, int64_t words, const uint64_t *plane, const uint64_t *mask)
{
    half_row sum[2];
    for (int h = 0; h < 2; h++)
        sum[h] = count_half(counting, words, plane + h * HALF, mask);
    half_whole_row low = __builtin_convertvector(sum[0], half_whole_row);
    half_whole_row high = __builtin_convertvector(sum[1], half_whole_row);
    whole_row all = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return __builtin_convertvector(all, row);
}

INLINE row smaller(row a, row b)
{
    float x[LANES], y[LANES];
    memcpy(x, &a, sizeof x);
    memcpy(y, &b, sizeof y);
#pragma omp simd
    for (int l = 0; l < LANES; l++)
        x[l] = x[l] < y[l] ? x[l] : y[l];
    memcpy(&a, x, sizeof a);
    return a;
}

/* Counts of each pattern, for samples in which a target has one level: c[begin * levels + level of the last
 * gene]. mask: begins but the first x words. per_begin: begins. per_lane: levels but the first, rows. */
INLINE void count(bool counting, int levels, int begins, int64_t words, const uint64_t *x,
                  const uint64_t *mask, const float *per_begin, const float *per_lane, row *c)
{
    for (int level = 1; level < levels; level++)
        c[level] = *(const row *)(per_lane + (level - 1) * LANES);
    for (int b = 1; b < begins; b++)
        for (int level = 1; level < levels; level++) {
            c[b * levels + level] = count_bits(counting, words, x + (level - 1) * words * LANES,
                                               mask + (b - 1) * words);
            c[level] -= c[b * levels + level];
        }
    for (int b = 0; b < begins; b++) {
        c[b * levels] = per_begin[b] - c[b * levels + 1];
        if (levels == 3)
            c[b * levels] -= c[b * levels + 2];
    }
}

/* How often each pattern of a group is seen, and 4 (f + alpha) / f^2. */
INLINE void weigh(const struct scan *scan, bool counting, int levels, int begins, int64_t words,
                  int64_t group)
{
    const int patterns = levels * begins;
    const float alpha = (float)scan->s->alpha;
    row c[MOST_BEGINS * MOST_LEVELS], unseen = {0};
    row *seen = (row *)(scan->weights + group * (2 * patterns + 1) * LANES), *weight = seen + patterns;
    count(counting, levels, begins, words, scan->x + group * (levels - 1) * words * LANES,
          scan->begin + words, scan->has_begin, scan->has_x + group * (levels - 1) * LANES, c);
    for (int p = 0; p < patterns; p++) {
        row none = 1.0f - smaller(c[p], (row){0} + 1.0f); /* 1 where no sample has the pattern */
        seen[p] = c[p];
        weight[p] = (1.0f - none) * 4.0f * (c[p] + alpha) / (c[p] * c[p] + none);
        unseen += none;
    }
    weight[patterns] = unseen;
}

INLINE void count_group(const struct scan *scan, bool counting, int levels, int begins, int64_t words,
                        int64_t group, int64_t t, row (*c)[MOST_BEGINS * MOST_LEVELS])
{
    for (int y = 0; y < levels - 1; y++)
        count(counting, levels, begins, words, scan->x + group * (levels - 1) * words * LANES,
              scan->mask + y * (begins - 1) * words, scan->has_y + (t * (levels - 1) + y) * begins,
              scan->has_xy + (((t * (levels - 1) + y) * TILE) + group) * (levels - 1) * LANES, c[y]);
}

/* The lower bound of a group's lanes. */
INLINE row bound_group(const struct scan *scan, bool counting, int levels, int begins, int64_t words,
                       int64_t group, int64_t t)
{
    const int patterns = levels * begins;
    const row *seen = (const row *)(scan->weights + group * (2 * patterns + 1) * LANES);
    const row *weight = seen + patterns;
    const float alpha = (float)scan->s->alpha;
    row c[MOST_LEVELS - 1][MOST_BEGINS * MOST_LEVELS], bound = scan->penalty[t] * weight[patterns];
    count_group(scan, counting, levels, begins, words, group, t, c);
    for (int p = 0; p < patterns; p++) {
        row left = seen[p] - c[0][p], all = seen[p] + alpha, sum = c[0][p] * left;
        if (levels == 3)
            sum += c[levels - 2][p] * (left - c[levels - 2][p]);
        const row q = weight[p] * sum;
        if (levels == 3)
            bound += q - BEND * smaller(all - q, (row){0});
        else
            bound += smaller(STEEP * q, (1.0f - FLAT) * all + FLAT * q);
    }
    return bound;
}

/* Samples of each pattern of the begin in which the target has a level. */
INLINE void mask_target(struct scan *scan, int levels, int begins, int64_t words, int64_t t)
{
    for (int y = 0; y < levels - 1; y++) {
        const uint64_t *plane = scan->y + (t * (levels - 1) + y) * words;
        float *has = scan->has_y + (t * (levels - 1) + y) * begins;
        int64_t all = 0, others = 0;
        for (int64_t w = 0; w < words; w++)
            all += __builtin_popcountll(plane[w]);
        for (int b = 1; b < begins; b++) {
            uint64_t *to = scan->mask + (y * (begins - 1) + b - 1) * words;
            int64_t n = 0;
            for (int64_t w = 0; w < words; w++) {
                to[w] = plane[w] & scan->begin[b * words + w];
                n += __builtin_popcountll(to[w]);
            }
            has[b] = (float)n;
            others += n;
        }
        has[0] = (float)(all - others);
    }
}

INLINE void scan_target(struct scan *scan, bool counting, int levels, int begins, int64_t words, int64_t t)
{
    row bound[TILE], least = (row){0} + INFINITY;
    float lanes[LANES];
    bool any = false;
    for (int64_t g = scan->from; g < scan->to; g++) {
        bound[g] = bound_group(scan, counting, levels, begins, words, g, t);
        least = smaller(least, bound[g]);
    }
    memcpy(lanes, &least, sizeof lanes);
    for (int l = 0; l < LANES; l++)
        any = any || lanes[l] <= scan->limit[t];
    for (int64_t g = scan->from; g < scan->to && any; g++) {
        row c[MOST_LEVELS - 1][MOST_BEGINS * MOST_LEVELS];
        unsigned hits = 0;
        memcpy(lanes, &bound[g], sizeof lanes);
        for (int l = 0; l < LANES; l++)
            hits |= lanes[l] <= scan->limit[t] ? 1u << l : 0u;
        if (hits == 0)
            continue;
        count_group(scan, counting, levels, begins, words, g, t, c);
        scan->found(scan, t, g, hits, scan->weights + g * (2 * levels * begins + 1) * LANES,
                    (const float *)c);
    }
}

INLINE void scan_all(struct scan *scan, bool counting, int levels, int begins)
{
    const int64_t words = words_of(scan->s);
    for (int64_t g = scan->from; g < scan->to; g++)
        weigh(scan, counting, levels, begins, words, g);
    for (int64_t t = 0; t < scan->n && scan->from < scan->to; t++) {
        mask_target(scan, levels, begins, words, t);
        scan_target(scan, counting, levels, begins, words, t);
    }
}

INLINE void scan_these(struct scan *scan, bool counting)
{
    switch (scan->s->levels * 10 + scan->begins) {
    case 21: scan_all(scan, counting, 2, 1); break;
    case 22: scan_all(scan, counting, 2, 2); break;
    case 24: scan_all(scan, counting, 2, 4); break;
    case 31: scan_all(scan, counting, 3, 1); break;
    case 33: scan_all(scan, counting, 3, 3); break;
    default: scan_all(scan, counting, 3, 9); break;
    }
}

PLB_CLONES static void scan_any(struct scan *scan)
{
    scan_these(scan, false);
}

/* Processors that count the bits of a vector in one instruction are no level of x86-64 of their own. */
#if defined(__x86_64__) && defined(__GNUC__) && (__GNUC__ >= 12 || __clang_major__ >= 14)
__attribute__((target("arch=x86-64-v4,avx512vpopcntdq,prefer-vector-width=512"))) static void
scan_counting(struct scan *scan)
{
    scan_these(scan, true);
}

void scan_begin(struct scan *scan)
{
    if (__builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        scan_counting(scan);
    else
        scan_any(scan);
}
#else
void scan_begin(struct scan *scan)
{
    scan_any(scan);
}
#endif

PLB_CLONES static void count_rows(const uint64_t *planes, int64_t n, int64_t words, const uint64_t *mask,
                                  float *rows)
{
    for (int64_t i = 0; i < n; i++)
        *(row *)(rows + i * LANES) = count_bits(false, words, planes + i * words * LANES, mask);
}

void scan_tile(struct scan *scan)
{
    const struct search *s = scan->s;
    const int64_t words = words_of(s), planes = s->levels - 1, n = scan->to * planes;
    memset(scan->mask, 0xff, (size_t)words * sizeof *scan->mask);
    count_rows(scan->x, n, words, scan->mask, scan->has_x);
    for (int64_t i = 0; i < scan->n * planes; i++)
        count_rows(scan->x, n, words, scan->y + i * words, scan->has_xy + i * TILE * planes * LANES);
}
