/* Profiles in a run.
 *
 * PUs of the same key (the same model in several nodes) share a slot: one file read, its samples given
 * to all of them, what they measure pooled into one file. What is written, in the end:
 *
 *   - of a key whose PUs measured sizes that differ by PLB_PROFILE_SPREAD, its pool;
 *   - together with the older profile where no PU contradicted that, and then only if this run saw
 *     sizes beyond those it has by PLB_PROFILE_SPREAD: a profile that was confirmed is left alone;
 *   - a contradicted one with nothing to replace it is deleted.
 *
 * Weak at: what changes a kernel's speed per cost without changing the kernel, such as another data
 * type, or a PU's distance from rank 0 for transfers, has one profile. The first blocks of a run tell,
 * and cost it the training it would have had anyway. */
#include "profile/profiles.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "job/job.h"
#include "profile/profile_file.h"

struct slot {
    struct plb_profile_key key;
    char name[PLB_PROFILE_NAME]; /* of its file */
    struct plb_profile old;     /* as read; no samples where there was none */
    struct plb_sample *fresh;   /* of all its PUs, `work` as cost */
    int n_fresh;
    bool dropped;               /* by one PU at least */
};

struct plb_profiles {
    const struct plb_job *job;
    bool reads, writes, simulated, verbose;
    char folder[PATH_MAX], build[17];
    int kernels;                /* of the application */
    struct slot *slots;
    int n_slots;
    int *slot_of;               /* by PU and kernel */
};

/* ---------------------------------------------------------------- open */

/* The name of a kernel of the application, and what a unit of average cost costs. */
static void name_kernel(const struct plb_profiles *p, int kernel, char *name, size_t size)
{
    if (p->kernels == 1)
        snprintf(name, size, "%s", p->job->kernel->name);
    else
        snprintf(name, size, "%s %s", p->job->kernel->name, plb_phase_at(p->job->kernel, kernel).name);
}

static double per_work(const struct plb_profiles *p, int kernel)
{
    return p->job->maps[kernel].per_work;
}

/* What the kernel is, and where its profiles are; false where that is nowhere. */
static bool find_place(struct plb_profiles *p, struct plb_error *err)
{
    Dl_info object;
    if (dladdr(p->job->kernel, &object) == 0 || !plb_profile_build(object.dli_fname, p->build))
        plb_fail(err, PLB_EFAILED, "the file of kernel %s cannot be read", p->job->kernel->name);
    else if (!plb_profile_folder(p->folder, sizeof p->folder))
        plb_fail(err, PLB_EFAILED, "neither XDG_CACHE_HOME nor HOME names a folder to keep them in");
    else if (p->writes)
        plb_profile_make_folder(p->folder, err);
    return err->status == PLB_OK;
}

struct plb_profiles *plb_profiles_open(const struct plb_job *job, bool simulated, bool verbose)
{
    enum plb_profile_mode mode = job->balance.profile;
    struct plb_error err = {.status = PLB_OK};
    if (mode == PLB_PROFILE_OFF || (simulated && !job->balance.profile_given))
        return NULL;
    struct plb_profiles *p = plb_alloc(sizeof *p);
    *p = (struct plb_profiles){.job = job, .simulated = simulated, .verbose = verbose, .kernels = plb_phase_count(job->kernel),
                               .reads = mode == PLB_PROFILE_READ || mode == PLB_PROFILE_ON,
                               .writes = mode == PLB_PROFILE_WRITE || mode == PLB_PROFILE_ON};
    if (find_place(p, &err))
        return p;
    plb_say("warning: profiles are off: %s", err.text);
    plb_profiles_free(p);
    return NULL;
}

void plb_profiles_free(struct plb_profiles *p)
{
    if (p == NULL)
        return;
    for (int i = 0; i < p->n_slots; i++)
        free(p->slots[i].fresh);
    free(p->slots);
    free(p->slot_of);
    free(p);
}

/* ---------------------------------------------------------------- keys */

/* Noise, and slower times, are what happens to a simulated PU, not what it is. */
static void describe_simulated(const struct plb_pu_spec *spec, char *text, size_t size)
{
    snprintf(text, size, "rate %g, half %g, overhead %g, copy %g %g", spec->rate, spec->half, spec->overhead,
             spec->copy_bandwidth, spec->copy_latency);
}

static struct plb_profile_key key_of(const struct plb_profiles *p, int kernel, const struct plb_pu_info *pu)
{
    static const char *const kinds[] = {"cpu", "gpu", "accelerator"};
    const struct plb_cluster_spec *c = &p->job->cluster;
    const struct plb_pu_spec *spec = c->n_nodes > 0 ? &c->pus[c->nodes[pu->node].first_pu + pu->local] : NULL;
    struct plb_profile_key key = {.threads = pu->threads};
    name_kernel(p, kernel, key.kernel, sizeof key.kernel);
    snprintf(key.build, sizeof key.build, "%s", p->build);
    snprintf(key.pu, sizeof key.pu, "%s", pu->name);
    snprintf(key.kind, sizeof key.kind, "%s%s", spec == NULL ? "" : p->simulated ? "simulated " : "emulated ", kinds[pu->kind]);
    if (spec == NULL)
        snprintf(key.model, sizeof key.model, "%s", pu->model);
    else if (p->simulated)
        describe_simulated(spec, key.model, sizeof key.model);
    else
        snprintf(key.model, sizeof key.model, "%s, slowdown %g, copy %g %g", pu->model, spec->slowdown, spec->copy_bandwidth,
                 spec->copy_latency);
    plb_profile_clean(key.kernel);
    plb_profile_clean(key.pu);
    plb_profile_clean(key.model);
    return key;
}

/* The slot of a key, its profile read where there is one. Newer ones are looked at first: PUs of a kind
 * mostly follow each other. */
static int find_slot(struct plb_profiles *p, const struct plb_profile_key *key)
{
    struct slot new = {.key = *key};
    struct plb_error err = {.status = PLB_OK};
    plb_profile_name(key, new.name);
    for (int i = p->n_slots - 1; i >= 0; i--)
        if (strcmp(new.name, p->slots[i].name) == 0)
            return i;
    if (p->reads && plb_profile_load(p->folder, key, &new.old, &err) != PLB_OK)
        plb_say("warning: %s", err.text);
    p->slots = plb_grow(p->slots, (size_t)(p->n_slots + 1) * sizeof *p->slots);
    p->slots[p->n_slots] = new;
    return p->n_slots++;
}

/* -------------------------------------------------------- recall, collect */

void plb_profiles_recall(struct plb_profiles *p, struct plb_master *master)
{
    if (p == NULL)
        return;
    struct plb_sample scaled[PLB_PROFILE_ROWS];
    int n = plb_master_pus(master), given = 0;
    p->slot_of = plb_alloc((size_t)n * (size_t)p->kernels * sizeof *p->slot_of);
    for (int i = 0; i < n * p->kernels; i++) {
        int pu = i / p->kernels, kernel = i % p->kernels;
        struct plb_profile_key key = key_of(p, kernel, plb_master_pu(master, pu));
        p->slot_of[i] = find_slot(p, &key);
        const struct plb_profile *old = &p->slots[p->slot_of[i]].old;
        for (int s = 0; s < old->n; s++) {
            scaled[s] = old->at[s];
            scaled[s].work /= per_work(p, kernel);
        }
        if (old->n > 0)
            plb_master_recall(master, kernel, pu, scaled, old->n);
        given += old->n > 0;
    }
    if (p->verbose)
        plb_say("profiles: %d of %d begin with earlier measurements, from %s", given, n * p->kernels, p->folder);
}

int plb_profiles_require(const struct plb_master_config *config, const struct plb_master *master,
                         struct plb_error *err)
{
    const struct plb_balancer *b = config->balancer;
    bool wanted = b->basis != NULL && b->basis(config->params) == PLB_BY_PROFILE;
    int kernels = config->kernels > 0 ? config->kernels : 1, n = wanted ? plb_master_pus(master) * kernels : 0;
    for (int i = 0, pu; i < n; i++)
        if (pu = i / kernels, !plb_master_refused(master, pu) && plb_master_history(master, i % kernels, pu)->n == 0)
            return plb_fail(err, PLB_EINPUT, "static.source = profile, but no profile of this kernel%s is known for PU %d (%s); run it once with another balancer and balance.profile=on, then this with balance.profile=read",
                            kernels > 1 ? " in each of its phases" : "", pu, plb_master_pu(master, pu)->name);
    return PLB_OK;
}

/* Takes over what a PU measured itself. */
static void take(struct slot *slot, const struct plb_history *h, double cost_per_work)
{
    slot->fresh = plb_grow(slot->fresh, (size_t)(slot->n_fresh + h->n) * sizeof *slot->fresh);
    for (int s = h->recalled; s < h->n; s++) {
        struct plb_sample *sample = &slot->fresh[slot->n_fresh++];
        *sample = h->at[s];
        sample->work *= cost_per_work;
    }
    slot->dropped |= h->dropped;
}

void plb_profiles_collect(struct plb_profiles *p, const struct plb_master *master, struct plb_report *report)
{
    if (p == NULL || p->slot_of == NULL)
        return;
    int n = plb_master_pus(master);
    for (int pu = 0; pu < n; pu++) {
        bool used = false, dropped = false;
        for (int kernel = 0; kernel < p->kernels; kernel++) {
            struct slot *slot = &p->slots[p->slot_of[pu * p->kernels + kernel]];
            const struct plb_history *h = plb_master_history(master, kernel, pu);
            used |= slot->old.n > 0;
            dropped |= h->dropped;
            take(slot, h, per_work(p, kernel));
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

static void save_slot(const struct plb_profiles *p, const struct slot *slot)
{
    struct plb_profile fresh;
    struct plb_error err = {.status = PLB_OK};
    char path[PATH_MAX + PLB_PROFILE_NAME];
    const struct plb_profile *old = &slot->old;
    bool confirmed = old->n > 0 && !slot->dropped;
    plb_profile_pool(slot->fresh, slot->n_fresh, 0, &fresh);
    if (!plb_profile_spreads(&fresh)) {
        snprintf(path, sizeof path, "%s/%s", p->folder, slot->name);
        if (slot->dropped)
            unlink(path);
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
    if (plb_profile_save(p->folder, &slot->key, &fresh, &err) != PLB_OK)
        plb_say("warning: this run's profile is not kept: %s", err.text);
}

void plb_profiles_save(const struct plb_profiles *p)
{
    for (int i = 0; p != NULL && p->writes && i < p->n_slots; i++)
        save_slot(p, &p->slots[i]);
}

/* ---------------------------------------------------------------- list */

static int is_profile(const struct dirent *entry)
{
    static const char *const ends[] = {".profile", ".profile.damaged"};
    size_t length = strlen(entry->d_name);
    for (int i = 0; i < 2; i++)
        if (length > strlen(ends[i]) && strcmp(entry->d_name + length - strlen(ends[i]), ends[i]) == 0)
            return 1;
    return 0;
}

static void print_age(const char *path, char text[32])
{
    struct stat info;
    double minutes = stat(path, &info) == 0 ? fmax(difftime(time(NULL), info.st_mtime), 0.0) / 60.0 : 0.0;
    if (minutes < 60.0)
        snprintf(text, 32, "%.0f min", floor(minutes));
    else if (minutes < 48.0 * 60.0)
        snprintf(text, 32, "%.0f h", floor(minutes / 60.0));
    else
        snprintf(text, 32, "%.0f days", floor(minutes / 60.0 / 24.0));
}

static void list_file(FILE *out, const char *folder, const char *name)
{
    char path[PATH_MAX + NAME_MAX + 2], age[32];
    struct plb_profile_key key;
    struct plb_profile profile;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    size_t length = strlen(name);
    print_age(path, age);
    const char *wrong = strcmp(name + length - 8, ".damaged") == 0 ? "set aside" : plb_profile_examine(path, &key, &profile);
    if (wrong != NULL)
        fprintf(out, "%-48s damaged: %s\n", name, wrong);
    else
        fprintf(out, "%-48s %-12s %-18s %-14s %2d samples  %s old\n", name, key.kernel, key.pu, key.kind, profile.n, age);
}

int plb_profiles_list(FILE *out, struct plb_error *err)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    if (!plb_profile_folder(folder, sizeof folder))
        return plb_fail(err, PLB_EFAILED, "there are no profiles: neither XDG_CACHE_HOME nor HOME names a folder to keep them in");
    int n = scandir(folder, &entries, is_profile, alphasort);
    if (n < 0 && errno != ENOENT)
        return plb_fail(err, PLB_EFAILED, "profiles are in %s, which cannot be read: %s", folder, strerror(errno));
    if (n <= 0)
        fprintf(out, "There are no profiles in %s; balance.profile=on makes them.\n", folder);
    else
        fprintf(out, "Profiles in %s:\n", folder);
    for (int i = 0; i < n; i++) {
        list_file(out, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return PLB_OK;
}
