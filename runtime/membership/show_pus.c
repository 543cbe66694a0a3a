/* Describes the PUs of all ranks as the start of a run does, for no kernel in particular. */
#include "membership/show_pus.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/job_settings.h"
#include "node/describe.h"

void plb_show_pus(const struct plb_pu_info *pus, int n)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    for (int p = 0; p < n; p++) {
        const struct plb_pu_info *pu = &pus[p];
        char empty[40] = "";
        if (pu->start_s > 0.0)
            snprintf(empty, sizeof empty, ", empty task %.2g us", 1e6 * pu->start_s);
        if (pu->id[0] != '\0')
            plb_say("PU %d: rank %d on %s, %s '%s' (%s), %.3g GB free, driven from cores %s, power %g%s", p,
                    pu->node, pu->host, kinds[pu->kind], pu->name, pu->id, pu->memory / 1e9, pu->cores,
                    pu->power, empty);
        else
            plb_say("PU %d: rank %d on %s, %s '%s', %d thread%s on cores %s, power %g%s", p, pu->node,
                    pu->host, kinds[pu->kind], pu->name, pu->threads, pu->threads == 1 ? "" : "s", pu->cores,
                    pu->power, empty);
    }
}

static void gather_host(void *mpi, const void *data, size_t bytes, void *all)
{
    plb_mpi_local_gather(mpi, data, bytes, all);
}

static int read_settings(struct plb_settings *s, struct plb_cluster_settings *machines, struct plb_error *err)
{
    if (plb_settings_init(s, "/dev/null", NULL, 0, err) != PLB_OK)
        return err->status;
    plb_job_settings_add(s);
    if (plb_settings_load(s, "cluster", err) == PLB_OK)
        plb_cluster_settings_read(s, machines);
    return err->status;
}

int plb_show_pus_without_job(struct plb_mpi *mpi, struct plb_error *err)
{
    const struct plb_cluster_spec no_cluster = {.n_nodes = 0};
    struct plb_settings settings;
    struct plb_cluster_settings machines;
    int status = plb_mpi_max(mpi, read_settings(&settings, &machines, err));
    if (status == PLB_OK) {
        struct plb_rank_site site = {.rank = plb_mpi_rank(mpi), .context = mpi, .gather = gather_host};
        struct plb_node_pu *pus;
        size_t bytes;
        plb_mpi_local(mpi, &site.local_rank, &site.local_size);
        int n = plb_pus_describe(&site, &no_cluster, NULL, &machines.pus, &pus);
        struct plb_pu_info *own = plb_alloc((size_t)(n + 1) * sizeof *own);
        for (int p = 0; p < n; p++)
            own[p] = pus[p].info;
        struct plb_pu_info *all = plb_mpi_gather(mpi, own, (size_t)n * sizeof *own, &bytes);
        if (site.rank == 0)
            plb_show_pus(all, (int)(bytes / sizeof *all));
        free(all);
        free(own);
        free(pus);
    }
    plb_settings_fini(&settings);
    return status;
}
