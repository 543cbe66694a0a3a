/* nearest: for every point of a cloud, the distance to its nearest neighbour. A whole plbrun kernel: the
 * cloud is on every node, a unit is one point, and the distances come back to rank 0. */
#include <math.h>
#include "plb/kernel.h"

static struct plb_array cloud, distance; /* on rank 0; the entry gets its data from the task */

static const struct plb_option options[] = {
    {"points", PLB_INPUT_FILE, NULL, 0, 0, NULL, "the cloud, .npy of float64, one point per row"},
    {"distances", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "the result, .npy"},
    {0},
};

static int find_nearest(const struct plb_task *task)
{
    const int64_t *shape = task->args; /* points, coordinates */
    const double *all = task->data[0];
    double *out = task->data[1];
#pragma omp parallel for num_threads(task->threads)
    for (int64_t i = 0; i < task->count; i++) {
        const double *p = all + (task->first + i) * shape[1];
        double best = INFINITY;
        for (int64_t j = 0; j < shape[0]; j++) {
            double sum = j == task->first + i ? INFINITY : 0.0;
            for (int64_t k = 0; k < shape[1]; k++)
                sum += (p[k] - all[j * shape[1] + k]) * (p[k] - all[j * shape[1] + k]);
            best = fmin(best, sum);
        }
        out[i] = sqrt(best);
    }
    return 0;
}

static int setup(struct plb_app *app)
{
    if (plb_app_text(app, "points") == NULL)
        return plb_app_error(app, "[nearest] needs 'points = FILE.npy'");
    if (plb_read_npy(app, plb_app_text(app, "points"), PLB_ROW_MAJOR, &cloud) != PLB_OK)
        return PLB_EINPUT;
    if (cloud.element_bytes != sizeof(double) || cloud.rows < 2)
        return plb_app_error(app, "points must be at least two, of float64");
    distance = (struct plb_array){plb_app_alloc_array(app, cloud.rows, 8), 8, cloud.rows, 1, false};
    int64_t shape[] = {cloud.rows, cloud.columns};
    plb_app_args(app, shape, sizeof shape);
    plb_app_units(app, cloud.rows);
    plb_app_data(app, &(struct plb_data){.name = "points",
                                         .mode = PLB_REPLICATE,
                                         .data = cloud.data,
                                         .bytes = (size_t)(cloud.rows * cloud.columns) * sizeof(double)});
    plb_app_data(app, &(struct plb_data){.name = "distances",
                                         .mode = PLB_OUTPUT,
                                         .data = distance.data,
                                         .unit_bytes = sizeof(double)});
    if (plb_app_given(app, "distances"))
        plb_app_save_npy(app, plb_app_text(app, "distances"), &distance);
    return PLB_OK;
}

PLB_CUDA_ENTRY(nearest_cuda); /* nearest.cu, which may not be built */

const struct plb_kernel plb_kernel = {
    .name = "nearest",
    PLB_KERNEL_HEAD,
    .unit = "points",
    .summary = "distance to the nearest neighbour",
    .options = options,
    .cpu = find_nearest,
    .cuda = nearest_cuda,
    .setup = setup,
    .writes_all = true,
};
