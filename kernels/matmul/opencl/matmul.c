/* matmul by OpenCL: a group makes a tile of 16 x 16 elements of C from tiles of A and B in local memory.
 * Plain, and correct everywhere; a library for one kind of device is several times as quick. */
#include "plb/opencl.h"

enum { A, B, C, TILE = 16 }; /* but for TILE, which is in the source, as in matmul.c */

struct shape { /* the same as in matmul.c */
    int64_t rows, inner, columns;
    size_t element_bytes;
    int64_t tf32, bf16;
};

/* Matrices are in columns: element (i, j) of C is c[j * m + i]. */
#define MULTIPLY(real) \
    PLB_OPENCL_C(kernel void multiply(long m, long k, long n, global const real *a, global const real *b, \
                                      global real *c) { \
        local real of_a[16][17]; \
        local real of_b[16][17]; \
        const int x = get_local_id(0); \
        const int y = get_local_id(1); \
        const long i = get_global_id(0); \
        const long j = get_global_id(1); \
        real sum = 0; \
        for (long first = 0; first < k; first += 16) { \
            of_a[y][x] = i < m && first + y < k ? a[(first + y) * m + i] : (real)0; \
            of_b[y][x] = j < n && first + x < k ? b[j * k + first + x] : (real)0; \
            barrier(CLK_LOCAL_MEM_FENCE); \
            for (int l = 0; l < 16; l++) \
                sum += of_a[l][x] * of_b[y][l]; \
            barrier(CLK_LOCAL_MEM_FENCE); \
        } \
        if (i < m && j < n) \
            c[j * m + i] = sum; \
    })

static const char of_floats[] = MULTIPLY(float), of_doubles[] = MULTIPLY(double);

int matmul_opencl(const struct plb_task *task);
int matmul_opencl(const struct plb_task *task)
{
    const struct shape *s = task->args;
    const char *source = s->element_bytes == sizeof(float) ? of_floats : of_doubles;
    const struct plb_opencl_arg args[] = {PLB_OPENCL_VALUE(s->rows),     PLB_OPENCL_VALUE(s->inner),
                                          PLB_OPENCL_VALUE(task->count), PLB_OPENCL_DATA(task, A),
                                          PLB_OPENCL_DATA(task, B),      PLB_OPENCL_DATA(task, C)};
    const size_t group[] = {TILE, TILE};
    const size_t global[] = {plb_opencl_items(s->rows, TILE), plb_opencl_items(task->count, TILE)};
    return plb_opencl_run(task, source, "multiply", 2, global, group, args, 6);
}
