/* Profiles in a run.
 *
 * PUs of the same key, which are the same model in several nodes, share an entry: one file is read, its
 * samples are given to all of them, and what they measure is pooled into one file. At the end of the run, of
 * each entry:
 *
 * - Where the PUs measured sizes that differ by PLB_PROFILE_SPREAD, their pool is written.
 * - Where there was a profile and no PU contradicted it, the pool is joined with it. It is written only if
 * this run saw sizes beyond the profile's by PLB_PROFILE_SPREAD: a profile that was confirmed is left alone.
 * - A profile that was contradicted, with nothing to replace it, is deleted.
 *
 * Weak at: a change of the speed per cost that does not change the kernel, such as another data type, and a
 * PU's distance from rank 0. Then the first blocks of a run contradict the profile, and the PU trains as it
 * would have without one. */
#include "profile/profiles.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/phase.h"
#include "base/log.h"
#include "base/memory.h"
#include "job/kernel_file.h"
#include "profile/profile_file.h"

/* The profile of one key in this run. */
struct entry {
    struct plb_profile_key key;
    char name[PLB_PROFILE_NAME]; /* of its file */
    struct plb_profile old;      /* as read; no samples where there was none */
    struct plb_sample *fresh;    /* of all its PUs in this run, `work` as cost */
    int n_fresh;
    bool dropped; /* a PU contradicted the profile */
};

struct plb_profiles {
    struct plb_profiles_config config;
    bool reads, writes;
    char folder[PATH_MAX], build[17];
    int phases; /* of the kernel */
    struct entry *entries;
    int n_entries;
    int *entry_of; /* by PU and phase */
};

/* ---------------------------------------------------------------- open */

/* Finds out what the kernel is, and where its profiles are; false where that is not possible. */
static bool find_folder(struct plb_profiles *p, struct plb_error *err)
{
    struct plb_kernel_identity identity;
    if (plb_kernel_identity(p->config.kernel, &identity, err) != PLB_OK)
        return false;
    snprintf(p->build, sizeof p->build, "%016" PRIx64, identity.hash);
    if (!plb_profile_folder(p->folder, sizeof p->folder))
        plb_fail(err, PLB_EFAILED, "neither XDG_CACHE_HOME nor HOME names a folder to keep them in");
    else if (p->writes)
        plb_profile_make_folder(p->folder, err);
    return err->status == PLB_OK;
}

struct plb_profiles *plb_profiles_open(const struct plb_profiles_config *config)
{
    struct plb_error err = {.status = PLB_OK};
    if (config->mode == PLB_PROFILE_OFF)
        return NULL;
    struct plb_profiles *p = plb_alloc(sizeof *p);
    p->config = *config;
    p->phases = plb_phase_count(config->kernel);
    p->reads = config->mode == PLB_PROFILE_READ || config->mode == PLB_PROFILE_ON;
    p->writes = config->mode == PLB_PROFILE_WRITE || config->mode == PLB_PROFILE_ON;
    if (find_folder(p, &err))
        return p;
    plb_log(PLB_LOG_WARNING, "profiles are off: %s", err.text);
    plb_profiles_free(p);
    return NULL;
}

void plb_profiles_free(struct plb_profiles *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->n_entries; i++)
        free(p->entries[i].fresh);
    free(p->entries);
    free(p->entry_of);
    free(p);
}

/* ---------------------------------------------------------------- keys */

static void name_phase(const struct plb_profiles *p, int phase, char *name, size_t size)
{
    const struct plb_kernel *kernel = p->config.kernel;
    if (p->phases == 1)
        snprintf(name, size, "%s", kernel->name);
    else
        snprintf(name, size, "%s %s", kernel->name, plb_phase_at(kernel, phase).name);
}

/* The PU that an emulation or a simulation makes of the hardware. Noise, and slower times, happen to a
 * simulated PU; they do not describe it. */
static void describe_model(const struct plb_profiles *p, const struct plb_pu_info *pu,
                           const struct plb_pu_spec *spec, char *text, size_t size)
{
    if (spec == NULL)
        snprintf(text, size, "%s", pu->model);
    else if (p->config.simulated)
        snprintf(text, size, "rate %g, half %g, overhead %g, copy %g %g", spec->rate, spec->half,
                 spec->overhead, spec->copy_bandwidth, spec->copy_latency);
    else
        snprintf(text, size, "%s, slowdown %g, copy %g %g", pu->model, spec->slowdown, spec->copy_bandwidth,
                 spec->copy_latency);
}

static struct plb_profile_key key_of(const struct plb_profiles *p, int phase, const struct plb_pu_info *pu)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    const struct plb_cluster_spec *c = p->config.cluster;
    const struct plb_pu_spec *spec = c->n_nodes > 0 ? &c->pus[c->nodes[pu->node].first_pu + pu->local] : NULL;
    const char *made = spec == NULL ? "" : p->config.simulated ? "simulated " : "emulated ";
    struct plb_profile_key key = {.threads = pu->threads};
    name_phase(p, phase, key.kernel, sizeof key.kernel);
    snprintf(key.build, sizeof key.build, "%s", p->build);
    snprintf(key.pu, sizeof key.pu, "%s", pu->name);
    snprintf(key.kind, sizeof key.kind, "%s%s", made, kinds[pu->kind]);
    describe_model(p, pu, spec, key.model, sizeof key.model);
    plb_profile_clean(key.kernel);
    plb_profile_clean(key.pu);
    plb_profile_clean(key.model);
    return key;
}

/* Finds the entry of a key, or makes it and reads its profile. Looks at the last ones first, since most PUs
 * of a model follow each other. */
static int find_entry(struct plb_profiles *p, const struct plb_profile_key *key)
{
    struct entry new = {.key = *key};
    struct plb_error err = {.status = PLB_OK};
    plb_profile_name(key, new.name);
    for (int i = p->n_entries - 1; i >= 0; i--)
        if (strcmp(new.name, p->entries[i].name) == 0)
            return i;
    if (p->reads && plb_profile_load(p->folder, key, &new.old, &err) != PLB_OK)
        plb_log(PLB_LOG_WARNING, "%s", err.text);
    p->entries = plb_grow(p->entries, (size_t)(p->n_entries + 1) * sizeof *p->entries);
    p->entries[p->n_entries] = new;
    return p->n_entries++;
}

/* -------------------------------------------------------- load, collect */

void plb_profiles_load(struct plb_profiles *p, struct plb_master *master)
{
    if (p == NULL)
        return;
    struct plb_sample scaled[PLB_PROFILE_ROWS];
    int n = plb_master_pus(master), given = 0;
    p->entry_of = plb_alloc((size_t)n * (size_t)p->phases * sizeof *p->entry_of);
    for (int i = 0; i < n * p->phases; i++) {
        int pu = i / p->phases, phase = i % p->phases;
        struct plb_profile_key key = key_of(p, phase, plb_master_pu(master, pu));
        p->entry_of[i] = find_entry(p, &key);
        const struct plb_profile *old = &p->entries[p->entry_of[i]].old;
        for (int s = 0; s < old->n; s++) {
            scaled[s] = old->at[s];
            scaled[s].work /= p->config.maps[phase].per_work;
        }
        if (old->n > 0)
            plb_master_load(master, phase, pu, scaled, old->n);
        given += old->n > 0;
    }
    plb_log(PLB_LOG_INFO, "profiles: %d of %d PUs start from earlier measurements, in %s", given,
            n * p->phases, p->folder);
}

/* The first PU that has work and no history of a phase; -1 where there is none. */
static int find_unmeasured(const struct plb_master *master, int phases)
{
    for (int pu = 0; pu < plb_master_pus(master); pu++)
        if (plb_master_state(master, pu) != PLB_PU_REFUSED)
            for (int phase = 0; phase < phases; phase++)
                if (plb_master_history(master, phase, pu)->n == 0)
                    return pu;
    return -1;
}

int plb_profiles_require(const struct plb_master_config *config, const struct plb_master *master,
                         struct plb_error *err)
{
    const struct plb_balancer *b = config->balancer;
    bool wanted = b->basis != NULL && b->basis(config->params) == PLB_BY_PROFILE;
    int phases = config->phases > 0 ? config->phases : 1, pu = wanted ? find_unmeasured(master, phases) : -1;
    if (pu < 0)
        return PLB_OK;
    return plb_fail(
        err, PLB_EINPUT,
        "static.source = profile, but there is no profile of this kernel%s for PU %d (%s); run it once with "
        "another balancer and balance.profile=on, then this with balance.profile=read",
        phases > 1 ? " in each of its phases" : "", pu, plb_master_pu(master, pu)->name);
}

/* Takes over what a PU measured itself. */
static void take(struct entry *e, const struct plb_history *h, double cost_per_work)
{
    e->fresh = plb_grow(e->fresh, (size_t)(e->n_fresh + h->n) * sizeof *e->fresh);
    for (int s = h->from_profile; s < h->n; s++) {
        struct plb_sample *sample = &e->fresh[e->n_fresh++];
        *sample = h->at[s];
        sample->work *= cost_per_work;
    }
    e->dropped |= h->dropped;
}

void plb_profiles_collect(struct plb_profiles *p, const struct plb_master *master, struct plb_report *report)
{
    if (p == NULL || p->entry_of == NULL)
        return;
    int n = plb_master_pus(master);
    for (int pu = 0; pu < n; pu++) {
        bool used = false, dropped = false;
        for (int phase = 0; phase < p->phases; phase++) {
            struct entry *e = &p->entries[p->entry_of[pu * p->phases + phase]];
            const struct plb_history *h = plb_master_history(master, phase, pu);
            used |= e->old.n > 0;
            dropped |= h->dropped;
            take(e, h, p->config.maps[phase].per_work);
        }
        report->profiles_used += used && !dropped;
        report->profiles_dropped += dropped;
    }
}

/* ---------------------------------------------------------------- save */

static bool reaches_beyond(const struct plb_profile *fresh, const struct plb_profile *old)
{
    return fresh->at[0].work * PLB_PROFILE_SPREAD < old->at[0].work
        || fresh->at[fresh->n - 1].work > PLB_PROFILE_SPREAD * old->at[old->n - 1].work;
}

/* Deletes the file of an entry. */
static void delete_file(const struct plb_profiles *p, const struct entry *e)
{
    char path[PATH_MAX + PLB_PROFILE_NAME];
    snprintf(path, sizeof path, "%s/%s", p->folder, e->name);
    unlink(path);
}

static void save(const struct plb_profiles *p, const struct entry *e)
{
    struct plb_profile fresh;
    struct plb_error err = {.status = PLB_OK};
    const struct plb_profile *old = &e->old;
    bool confirmed = old->n > 0 && !e->dropped;
    plb_profile_pool(e->fresh, e->n_fresh, 0, &fresh);
    if (!plb_profile_spreads(&fresh)) {
        if (e->dropped)
            delete_file(p, e);
        return;
    }
    if (confirmed && !reaches_beyond(&fresh, old))
        return;
    if (confirmed) {
        struct plb_sample both[2 * PLB_PROFILE_ROWS];
        memcpy(both, old->at, (size_t)old->n * sizeof *both);
        memcpy(both + old->n, fresh.at, (size_t)fresh.n * sizeof *both);
        plb_profile_pool(both, old->n + fresh.n, old->n, &fresh);
    }
    if (plb_profile_save(p->folder, &e->key, &fresh, &err) != PLB_OK)
        plb_log(PLB_LOG_WARNING, "the profile of this run is not stored: %s", err.text);
}

void plb_profiles_save(const struct plb_profiles *p)
{
    if (p != NULL && p->writes)
        for (int i = 0; i < p->n_entries; i++)
            save(p, &p->entries[i]);
}
