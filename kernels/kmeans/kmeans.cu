/* kmeans on a GPU: a block finds the centroids of a tile of points, as on CPUs, so that labels have the same
 * bits. Points and centroids pass through shared memory, some coordinates at a time, and a thread compares
 * several points with several centroids, so that each number that it loads serves several distances.
 *
 * Then points are cut into parts, and a thread for each part and coordinate adds up its numbers of each
 * cluster in the order of the points. The parts depend on the number of points alone and are added in their
 * order. So sums have the same bits in each run of a task, and others than on CPUs.
 *
 * Returns 0 or a cudaError_t. */
#include <cuda_runtime.h>

#include "plb/kernel.h"

namespace {

enum { POINTS, CENTROIDS, SUMS, LABELS }; /* as in kmeans.c */

constexpr int threads = 256;
constexpr int each = 4; /* points, and centroids, of a thread: 16 distances that do not wait for each other */
constexpr int depth = 8; /* coordinates in shared memory at a time */

/* Of those who add: a part's sums are in shared memory if all of a block's fit, else in global memory. */
constexpr int few = 32, many = 128; /* threads of a block */
constexpr int64_t most_shared = 48 << 10, most_parts = 2048, points_per_sum = 2;
constexpr int at_once = 4; /* points whose loads do not wait for sums */

constexpr int folders = 16; /* threads for each element of the sums */

struct shape { /* the same as in nearest.h */
    int64_t clusters, dimensions;
    int32_t narrow, labels;
};

/* Elements of the sums of a task. */
__host__ __device__ int64_t sums_of(const shape &s)
{
    return s.clusters * (s.dimensions + 1) + 1;
}

/* Coordinates j to j + depth - 1 of rows first to first + n - 1, turned: those of a coordinate are side by
 * side. Places beyond the rows or the coordinates get 0. All threads of a block call it. */
template <int n, typename real> __device__ void load(const real *rows, int64_t first, int64_t count,
                                                     int64_t dimensions, int64_t j, double (*to)[n + 2])
{
    for (int e = threadIdx.x; e < n * depth; e += threads) {
        const int row = e / depth, k = e % depth;
        const bool there = first + row < count && j + k < dimensions;
        to[k][row] = there ? static_cast<double>(rows[(first + row) * dimensions + j + k]) : 0.0;
    }
}

/* A block's shared memory. Thread (x, y) of columns x rows compares points y, y + rows and so on of a tile
 * with centroids x, x + columns and so on of a group. */
template <int columns> struct tiles {
    static constexpr int rows = threads / columns, tile = each * rows, group = each * columns;
    double point[depth][tile + 2], centroid[depth][group + 2];
    double least[columns][tile + 2]; /* of the threads' own centroids, the nearest one, and which it is */
    int32_t which[columns][tile + 2];
};

/* Adds the squares of n coordinates to a thread's distances. */
template <int columns>
__device__ void compare(const tiles<columns> &t, int n, int x, int y, double (*sum)[each])
{
#pragma unroll 4
    for (int k = 0; k < n; k++)
#pragma unroll
        for (int p = 0; p < each; p++)
#pragma unroll
            for (int q = 0; q < each; q++) {
                const double way = __dsub_rn(t.point[k][y + p * tiles<columns>::rows],
                                             t.centroid[k][x + q * columns]);
                sum[p][q] = fma(way, way, sum[p][q]);
            }
}

/* The nearest centroid of point p of a tile: of those of all columns; of equally near ones the first. */
template <int columns> __device__ int32_t nearest_of(const tiles<columns> &t, int p, double *square)
{
    double least = t.least[0][p];
    int32_t which = t.which[0][p];
    for (int x = 1; x < columns; x++)
        if (t.least[x][p] < least || (t.least[x][p] == least && t.which[x][p] < which)) {
            least = t.least[x][p];
            which = t.which[x][p];
        }
    *square = least;
    return which;
}

/* Fills the columns' nearest centroids for the tile of points that begins at `base`. */
template <typename real, int columns> __device__ void compare_all(tiles<columns> &t, const shape &s,
                                                                  int64_t base, int64_t count,
                                                                  const real *points, const double *centroids)
{
    const int x = threadIdx.x % columns, y = threadIdx.x / columns;
    double best[each];
    int32_t which[each] = {};
    for (int p = 0; p < each; p++)
        best[p] = INFINITY;
    for (int64_t c = 0; c < s.clusters; c += tiles<columns>::group) {
        double sum[each][each] = {};
        for (int64_t j = 0; j < s.dimensions; j += depth) {
            const int64_t left = s.dimensions - j;
            __syncthreads();
            load<tiles<columns>::tile>(points, base, count, s.dimensions, j, t.point);
            load<tiles<columns>::group>(centroids, c, s.clusters, s.dimensions, j, t.centroid);
            __syncthreads();
            compare(t, static_cast<int>(left < depth ? left : depth), x, y, sum);
        }
#pragma unroll
        for (int q = 0; q < each; q++)
#pragma unroll
            for (int p = 0; p < each; p++)
                if (c + x + q * columns < s.clusters && sum[p][q] < best[p]) {
                    best[p] = sum[p][q];
                    which[p] = static_cast<int32_t>(c + x + q * columns);
                }
    }
#pragma unroll
    for (int p = 0; p < each; p++) {
        t.least[x][y + p * tiles<columns>::rows] = best[p];
        t.which[x][y + p * tiles<columns>::rows] = which[p];
    }
}

template <typename real, int columns> __global__ void __launch_bounds__(threads, 2)
    nearest(shape s, int64_t count, const real *points, const double *centroids, int32_t *label,
            double *square, int32_t *labels)
{
    __shared__ tiles<columns> t;
    constexpr int tile = tiles<columns>::tile;
    const int64_t base = static_cast<int64_t>(blockIdx.x) * tile;
    compare_all(t, s, base, count, points, centroids);
    __syncthreads();
    for (int p = threadIdx.x; p < tile && base + p < count; p += threads) {
        const int32_t found = nearest_of(t, p, &square[base + p]);
        label[base + p] = found;
        if (labels != nullptr)
            labels[base + p] = found;
    }
}

/* How points are cut into parts, and how threads add them up. A part has a thread for each of its columns:
 * the coordinates, the number of points, and the inertia. */
struct cut {
    int64_t points, parts; /* points of each part but the last one */
    int64_t columns, wide; /* columns of a block */
    int64_t high;          /* parts of a block */
    int64_t clusters;      /* whose sums are in shared memory; 0: none are */
    int threads;
};

template <typename real> __global__ void __launch_bounds__(many)
    add(shape s, cut how, int64_t count, const real *points, const int32_t *label, const double *square,
        double *parts)
{
    extern __shared__ double shared[];
    const int64_t column = static_cast<int64_t>(blockIdx.y) * how.wide + threadIdx.x % how.wide,
                  d = s.dimensions;
    const int64_t part = static_cast<int64_t>(blockIdx.x) * how.high + threadIdx.x / how.wide;
    if (static_cast<int64_t>(threadIdx.x) >= how.wide * how.high || part >= how.parts
        || column >= how.columns)
        return;
    const bool inertia = column == d + 1;
    double *to = parts + part * sums_of(s) + (inertia ? s.clusters * (d + 1) : column);
    double *sum = how.clusters > 0 ? shared + threadIdx.x : to;
    const int64_t step = how.clusters > 0 ? how.threads : d + 1, clusters = inertia ? 1 : s.clusters;
    const int64_t begin = part * how.points, end = count - begin < how.points ? count : begin + how.points;
    for (int64_t c = 0; c < clusters; c++)
        sum[c * step] = 0.0;
    for (int64_t i = begin; i < end; i += at_once) {
        double number[at_once];
        int32_t cluster[at_once];
#pragma unroll
        for (int k = 0; k < at_once; k++) {
            const int64_t at = i + k < end ? i + k : end - 1;
            cluster[k] = inertia ? 0 : label[at];
            number[k] = column < d  ? static_cast<double>(points[at * d + column])
                      : column == d ? 1.0
                                    : square[at];
        }
#pragma unroll
        for (int k = 0; k < at_once; k++)
            if (i + k < end)
                sum[cluster[k] * step] += number[k];
    }
    for (int64_t c = 0; c < clusters && sum != to; c++)
        to[c * (d + 1)] = sum[c * step];
}

/* Thread (x, y) adds element x of parts y, y + folders and so on; then those of an element are added. */
__global__ void __launch_bounds__(32 * folders)
    fold(int64_t width, int64_t parts, const double *from, double *sums)
{
    __shared__ double part[folders][32];
    const int64_t at = static_cast<int64_t>(blockIdx.x) * 32 + threadIdx.x;
    double sum = 0.0;
    for (int64_t p = threadIdx.y; at < width && p < parts; p += folders)
        sum += from[p * width + at];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && at < width) {
        for (int p = 1; p < folders; p++)
            sum += part[p][threadIdx.x];
        sums[at] = sum;
    }
}

cut cut_of(const shape &s, int64_t count)
{
    cut c = {};
    c.points = (count + most_parts - 1) / most_parts;
    if (c.points < points_per_sum * s.clusters)
        c.points = points_per_sum * s.clusters;
    c.parts = (count + c.points - 1) / c.points;
    const int64_t bytes = s.clusters * static_cast<int64_t>(sizeof(double));
    c.threads = bytes * many <= most_shared ? many : few;
    c.clusters = bytes * c.threads <= most_shared ? s.clusters : 0;
    c.columns = s.dimensions + 2;
    const int64_t blocks = (c.columns + c.threads - 1) / c.threads;
    c.wide = (c.columns + blocks - 1) / blocks;
    c.high = c.threads / c.wide;
    return c;
}

template <typename real, int columns>
void find(const plb_task *task, const shape &s, cudaStream_t stream, int32_t *label, double *square)
{
    constexpr int tile = tiles<columns>::tile;
    const int64_t blocks = (task->count + tile - 1) / tile;
    nearest<real, columns><<<static_cast<unsigned>(blocks), threads, 0, stream>>>(
        s, task->count, static_cast<const real *>(task->data[POINTS]),
        static_cast<const double *>(task->data[CENTROIDS]), label, square,
        s.labels != 0 ? static_cast<int32_t *>(task->data[LABELS]) : nullptr);
}

/* Of the groups of centroids that leave the fewest places empty the largest: it reads points least often. */
template <typename real>
void find_any(const plb_task *task, const shape &s, cudaStream_t stream, int32_t *label, double *square)
{
    int64_t best = 16, least = (s.clusters + each * best - 1) / (each * best) * best;
    for (int64_t columns = 8; columns >= 2; columns /= 2) {
        const int64_t places = (s.clusters + each * columns - 1) / (each * columns) * columns;
        if (places < least && (columns > 2 || places == columns)) {
            least = places;
            best = columns;
        }
    }
    switch (best) {
    case 2: find<real, 2>(task, s, stream, label, square); break;
    case 4: find<real, 4>(task, s, stream, label, square); break;
    case 8: find<real, 8>(task, s, stream, label, square); break;
    default: find<real, 16>(task, s, stream, label, square); break;
    }
}

template <typename real>
void enqueue(const plb_task *task, const shape &s, const cut &c, cudaStream_t stream, double *square)
{
    const int64_t width = sums_of(s), blocks = (width + 31) / 32;
    double *sums = static_cast<double *>(task->data[SUMS]),
           *parts = c.parts > 1 ? square + task->count : sums;
    int32_t *label = reinterpret_cast<int32_t *>(square + task->count + (c.parts > 1 ? c.parts * width : 0));
    find_any<real>(task, s, stream, label, square);
    const dim3 grid(static_cast<unsigned>((c.parts + c.high - 1) / c.high),
                    static_cast<unsigned>((c.columns + c.wide - 1) / c.wide));
    const int64_t bytes = c.clusters * c.threads * static_cast<int64_t>(sizeof(double));
    add<<<grid, c.threads, static_cast<size_t>(bytes), stream>>>(
        s, c, task->count, static_cast<const real *>(task->data[POINTS]), label, square, parts);
    if (c.parts > 1)
        fold<<<static_cast<unsigned>(blocks), dim3(32, folders), 0, stream>>>(width, c.parts, parts, sums);
}

} // namespace

extern "C" int kmeans_cuda(const struct plb_task *task)
{
    const shape s = *static_cast<const shape *>(task->args);
    const auto stream = static_cast<cudaStream_t>(task->stream);
    const cut c = cut_of(s, task->count);
    const int64_t reals = task->count + (c.parts > 1 ? c.parts * sums_of(s) : 0);
    const int64_t bytes = reals * static_cast<int64_t>(sizeof(double))
                        + task->count * static_cast<int64_t>(sizeof(int32_t));
    double *room; /* squares, the sums of several parts, and labels */
    cudaError_t error = cudaMallocAsync(&room, static_cast<size_t>(bytes), stream);
    if (error != cudaSuccess)
        return static_cast<int>(error);
    if (s.narrow != 0)
        enqueue<float>(task, s, c, stream, room);
    else
        enqueue<double>(task, s, c, stream, room);
    error = cudaGetLastError();
    cudaFreeAsync(room, stream);
    return static_cast<int>(error);
}
