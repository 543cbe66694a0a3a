/* nbody by OpenCL: a work-item for each body adds up what all others pull, in tiles of pull.h, and moves its
 * body. Then a group for each element of the sums adds up the bodies' energies or momenta in a fixed order.
 *
 * Each sum is in the order of the bodies, so all devices of a kind give the same bits however bodies are
 * split. Roots are the device's own, so CPUs give others. */
#include "../check.h"
#include "plb/opencl.h"
#include "../pull.h"

enum { MASSES, POSITIONS, KICKS, VELOCITIES, NEW_POSITIONS, NEW_VELOCITIES, SUMS }; /* as in nbody.c */
enum { GROUP = 128 };                                                               /* also in the source */
enum { MOMENT = 5 }; /* doubles of a body at the time of the pass: mass, depth, velocity */

/* A tile of bodies lies in local memory: x, y, z and mass of 256, as TILE in pull.h. */
#define ADVANCE(real) \
    PLB_OPENCL_C(kernel void advance( \
        long n, double gravity, double unit, double soft, long first, long count, global const real *masses, \
        global const real *positions, global const real *velocities, global real *new_positions, \
        global real *new_velocities, global const double *kick, global double *moments) { \
        local real tile[4 * 256]; \
        const long i = get_global_id(0); \
        const int me = get_local_id(0); \
        const long own = first + (i < count ? i : count - 1); \
        const real x = positions[3 * own]; \
        const real y = positions[3 * own + 1]; \
        const real z = positions[3 * own + 2]; \
        const real softening = (real)soft; \
        const double pulls = gravity * unit; \
        double sum[4] = {0.0, 0.0, 0.0, 0.0}; \
        for (long begin = 0; begin < n; begin += 256) { \
            const int here = n - begin < 256 ? (int)(n - begin) : 256; \
            real sum_x = 0; \
            real sum_y = 0; \
            real sum_z = 0; \
            real depth = 0; \
            barrier(CLK_LOCAL_MEM_FENCE); \
            for (int j = me; j < here; j += 128) { \
                tile[4 * j] = positions[3 * (begin + j)]; \
                tile[4 * j + 1] = positions[3 * (begin + j) + 1]; \
                tile[4 * j + 2] = positions[3 * (begin + j) + 2]; \
                tile[4 * j + 3] = masses[begin + j]; \
            } \
            barrier(CLK_LOCAL_MEM_FENCE); \
            for (int j = 0; j < here; j++) { \
                const real dx = tile[4 * j] - x; \
                const real dy = tile[4 * j + 1] - y; \
                const real dz = tile[4 * j + 2] - z; \
                const real square = fma(dx, dx, fma(dy, dy, fma(dz, dz, softening))); \
                const real near = rsqrt(square); \
                const real mass = begin + j == own ? (real)0 : tile[4 * j + 3]; \
                const real weight = mass * near * (near * near); \
                sum_x = fma(weight, dx, sum_x); \
                sum_y = fma(weight, dy, sum_y); \
                sum_z = fma(weight, dz, sum_z); \
                depth = fma(weight, square, depth); \
            } \
            sum[0] += sum_x; \
            sum[1] += sum_y; \
            sum[2] += sum_z; \
            sum[3] += depth; \
        } \
        if (i >= count) \
            return; \
        moments[5 * i] = unit * masses[own]; \
        moments[5 * i + 1] = pulls * sum[3]; \
        for (int k = 0; k < 3; k++) { \
            const double v = velocities[3 * i + k] + kick[0] * (pulls * sum[k]); \
            const double leaving = v + kick[1] * (pulls * sum[k]); \
            moments[5 * i + 2 + k] = v; \
            new_velocities[3 * i + k] = (real)leaving; \
            new_positions[3 * i + k] = (real)(positions[3 * own + k] + kick[2] * leaving); \
        } \
    })

static const char of_floats[] = ADVANCE(float), of_doubles[] = ADVANCE(double);

/* Group b makes element b of the sums: kinetic and potential energy, and momentum (check.h). */
static const char sums[] = PLB_OPENCL_C(
    kernel void add(long count, global const double *moments, global double *sums) {
        local double part[128];
        const int me = get_local_id(0);
        const int which = get_group_id(0);
        double sum = 0.0;
        for (long i = me; i < count; i += 128) {
            global const double *m = moments + 5 * i;
            if (which == 0)
                sum += 0.5 * m[0] * (m[2] * m[2] + m[3] * m[3] + m[4] * m[4]);
            else if (which == 1)
                sum -= 0.5 * m[0] * m[1];
            else
                sum += m[0] * m[which];
        }
        part[me] = sum;
        for (int reach = 64; reach > 0; reach /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (me < reach)
                part[me] += part[me + reach];
        }
        if (me == 0)
            sums[which] = part[0];
    });

int nbody_opencl(const struct plb_task *task);
int nbody_opencl(const struct plb_task *task)
{
    const struct space *s = task->args;
    const char *source = s->narrow != 0 ? of_floats : of_doubles;
    double *moments = plb_opencl_alloc(task, (size_t)task->count * MOMENT * sizeof *moments);
    if (moments == NULL)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    const struct plb_opencl_arg move[] = {PLB_OPENCL_VALUE(s->n),
                                          PLB_OPENCL_VALUE(s->gravity),
                                          PLB_OPENCL_VALUE(s->unit),
                                          PLB_OPENCL_VALUE(s->softening),
                                          PLB_OPENCL_VALUE(task->first),
                                          PLB_OPENCL_VALUE(task->count),
                                          PLB_OPENCL_DATA(task, MASSES),
                                          PLB_OPENCL_DATA(task, POSITIONS),
                                          PLB_OPENCL_DATA(task, VELOCITIES),
                                          PLB_OPENCL_DATA(task, NEW_POSITIONS),
                                          PLB_OPENCL_DATA(task, NEW_VELOCITIES),
                                          PLB_OPENCL_DATA(task, KICKS),
                                          PLB_OPENCL_MEMORY(moments)};
    const struct plb_opencl_arg fold[] = {PLB_OPENCL_VALUE(task->count), PLB_OPENCL_MEMORY(moments),
                                          PLB_OPENCL_DATA(task, SUMS)};
    const size_t group = GROUP, bodies = plb_opencl_items(task->count, GROUP), all = ALL_SUMS * GROUP;
    int status = plb_opencl_run(task, source, "advance", 1, &bodies, &group, move,
                                sizeof move / sizeof *move);
    if (status == CL_SUCCESS)
        status = plb_opencl_run(task, sums, "add", 1, &all, &group, fold, 3);
    const int freed = plb_opencl_free(task, moments);
    return status != CL_SUCCESS ? status : freed;
}
