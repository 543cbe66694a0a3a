/* A random cluster as the .cluster and .conf files that `plbrun --simulate FILE.cluster FILE.conf` reads. */
#ifndef TEST_RANDOM_DUMP_H
#define TEST_RANDOM_DUMP_H

#include <stdio.h>

#include "random_cluster.h"

/* PUs in a line of a .cluster file, whose lines have at most 198 characters. */
#define NAMES_OF_A_LINE 20

static inline void dump_pu(const struct plb_pu_spec *pu, FILE *f)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    fprintf(
        f, "[pu %s]\nkind = %s\npower = %.17g\nrate = %.17g\nhalf = %.17g\noverhead = %.17g\nnoise = %.17g\n",
        pu->name, kinds[pu->kind], pu->power, pu->rate, pu->half, pu->overhead, pu->noise);
    if (isfinite(pu->memory))
        fprintf(f, "memory = %.17g\n", pu->memory);
    if (isfinite(pu->copy_bandwidth))
        fprintf(f, "copy = %.17g, %.17g\n", pu->copy_bandwidth, pu->copy_latency);
    for (int i = 0; i < pu->n_slow; i++)
        fprintf(f, "slow = %.17g:%.17g\n", pu->slow_at[i], pu->slow_by[i]);
}

/* Both return 0, or what the system says of the file. */
static inline int random_dump_cluster(const struct random_cluster *r, const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return -1;
    for (int n = 0; n < r->cluster.n_nodes; n++) {
        const struct plb_node_spec *node = &r->nodes[n];
        fprintf(f, "[node %s]\nbandwidth = %.17g\nlatency = %.17g\n", node->name, node->bandwidth,
                node->latency);
        for (int p = 0; p < node->n_pus; p++)
            fprintf(f, "%s%s", p % NAMES_OF_A_LINE == 0 ? "\npus = " + (p == 0) : ", ",
                    r->pus[node->first_pu + p].name);
        fputc('\n', f);
    }
    for (int p = 0; p < r->cluster.n_pus; p++)
        dump_pu(&r->pus[p], f);
    if (r->cost_error > 0.0)
        fprintf(f, "[simulation]\ncost_error = %.17g\n", r->cost_error);
    return fclose(f);
}

/* `kernel` is the path of test/kernels/random.so, from the conf file's folder or absolute. */
static inline int random_dump_conf(const struct random_cluster *r, const char *kernel, const char *path)
{
    FILE *f = fopen(path, "w");
    if (f == NULL)
        return -1;
    if (!r->told)
        fprintf(f,
                "; The units' true costs are a %s of width %g, and nobody is told: here all cost the same.\n",
                law_names[r->law.kind], r->law.width);
    fprintf(f,
            "[app]\nkernel = %s\n[random]\nunits = %lld\nlaw = %s\nwidth = %.17g\nseed = %llu\ntold = %s\n"
            "input = %.0f\noutput = %.0f\n",
            kernel, (long long)r->law.units, law_names[r->law.kind], r->law.width,
            (unsigned long long)r->law.seed, r->told ? "yes" : "no", r->inputs.unit_bytes,
            r->results.unit_bytes);
    return fclose(f);
}

#endif
