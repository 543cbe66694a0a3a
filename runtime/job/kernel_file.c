/* Kernels as shared objects: where they are, and whether they fit this plbrun. */
#include "job/kernel_file.h"

#include <dirent.h>
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/log.h"
#include "base/nearest.h"
#include "base/version.h"
#include "job/phase.h"

#define FOLDERS 3

static const char *const kinds[] = {"CPU", "GPU", "accelerator"}; /* by enum plb_pu_kind */

/* Where kernels are: below or beside a built plbrun, and below the prefix of an installed one. */
static void kernel_folders(char folders[FOLDERS][PATH_MAX])
{
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *home = dirname(self);
    snprintf(folders[0], PATH_MAX, "%.4000s/build/kernels", home);
    snprintf(folders[1], PATH_MAX, "%.4000s/kernels", home);
    snprintf(folders[2], PATH_MAX, "%.4000s/../lib/plbrun", home);
}

/* Whether a file's name is NAME.x.so, with the extra object of a driver. */
static bool is_extra(const char *name)
{
    char end[32] = "";
    size_t length = strlen(name);
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        if (plb_device_drivers[d]->object == NULL)
            continue;
        snprintf(end, sizeof end, ".%s.so", plb_device_drivers[d]->object);
        if (length > strlen(end) && strcmp(name + length - strlen(end), end) == 0)
            return true;
    }
    return false;
}

/* Adds the names of the kernels in a folder to a NULL-ended list. */
static int list_kernels(const char *folder, char names[][64], const char **list, int n, int limit)
{
    DIR *d = opendir(folder);
    for (struct dirent *e; d != NULL && n < limit && (e = readdir(d)) != NULL;) {
        size_t length = strlen(e->d_name);
        if (length < 4 || length > 63 || strcmp(e->d_name + length - 3, ".so") != 0 || is_extra(e->d_name))
            continue;
        snprintf(names[n], 64, "%.*s", (int)(length - 3), e->d_name);
        list[n] = names[n];
        n++;
    }
    if (d != NULL)
        closedir(d);
    list[n] = NULL;
    return n;
}

static int unknown_kernel(const char *name, const char *origin, char folders[FOLDERS][PATH_MAX],
                          struct plb_error *err)
{
    char names[64][64], all[512] = "";
    const char *list[65];
    int n = 0;
    for (int f = 0; f < FOLDERS; f++)
        n = list_kernels(folders[f], names, list, n, 64);
    for (int i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", list[i]);
    const char *near = plb_nearest(name, list);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: there is no kernel '%s'; did you mean '%s'?", origin, name, near);
    return plb_fail(err, PLB_EINPUT, "%s: there is no kernel '%s'; there are: %s; or give the path of a .so", origin, name, n > 0 ? all : "none");
}

/* Checks the ABI first: in another ABI nothing after the first two fields can be trusted. elsewhere: entries may be
 * in an extra object that was not loaded here, because this rank has no such device. */
static int check(const struct plb_kernel *k, const char *path, bool elsewhere, struct plb_error *err)
{
    if (k->abi != PLB_KERNEL_ABI || k->size != sizeof *k)
        return plb_fail(err, PLB_EINPUT, "%s was built for kernel ABI %u (%u bytes), this plbrun has ABI %u (%zu bytes); rebuild it against this plb/kernel.h",
                        path, k->abi, k->size, PLB_KERNEL_ABI, sizeof *k);
    static const char *const taken[] = {"app", "balance", "cluster"};
    for (int i = 0; k->name != NULL && i < 3; i++)
        if (strcmp(k->name, taken[i]) == 0)
            return plb_fail(err, PLB_EINPUT, "%s: a kernel cannot be named '%s', which is a section of the conf file; rename it", path, k->name);
    struct plb_phase only = plb_only_phase(k);
    bool runs = k->phases != NULL || plb_driver_runs(&only) || elsewhere;
    if (k->name == NULL || k->unit == NULL || k->setup == NULL || !runs)
        return plb_fail(err, PLB_EINPUT, "%s: its plb_kernel lacks a name, unit, setup, or a cpu or cuda entry (one that is there, see PLB_CUDA_ENTRY in plb/kernel.h)", path);
    return plb_phase_check(k, path, elsewhere, err);
}

#define PATH (PATH_MAX + 80)    /* room for a folder and a kernel's name */

/* The path of a driver's extra object NAME.x.so, which belongs to NAME.so. */
static void extra_path(const char *path, const struct plb_device_driver *driver, char extra[PATH])
{
    snprintf(extra, PATH, "%.*s.%s.so", (int)(strlen(path) - strlen(".so")), path, driver->object);
}

/* Loads the extra objects of path/NAME.so whose devices are here and wanted. Returns whether there is an extra
 * object, loaded or not. */
static bool load_extras(const char *path, const struct plb_pu_settings *pus)
{
    bool there = false;
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        char extra[PATH];
        if (driver->object == NULL)
            continue;
        extra_path(path, driver, extra);
        if (access(extra, R_OK) != 0)
            continue;
        there = true;
        bool wanted = pus != NULL && plb_driver_wanted(driver, pus->wanted) && driver->count(NULL) > 0;
        if (wanted && dlopen(extra, RTLD_NOW | RTLD_GLOBAL) == NULL)
            plb_say("warning: %ss are not used: %s cannot be loaded: %s; install what is missing, or add its folder "
                    "to LD_LIBRARY_PATH", kinds[driver->kind], extra, dlerror());
    }
    return there;
}

bool plb_kernel_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

int plb_kernel_load(const char *name, const char *origin, const struct plb_pu_settings *pus,
                    const struct plb_kernel **kernel, struct plb_error *err)
{
    char path[PATH], folders[FOLDERS][PATH_MAX];
    if (plb_kernel_is_path(name)) {
        snprintf(path, sizeof path, "%s%s", strchr(name, '/') != NULL ? "" : "./", name);
        if (access(path, R_OK) != 0)
            return plb_fail(err, PLB_EINPUT, "%s: the kernel file %s does not exist or cannot be read; build it first, or correct the path", origin, name);
    } else {
        kernel_folders(folders);
        int f = 0;
        do {
            snprintf(path, sizeof path, "%s/%s.so", folders[f], name);
        } while (access(path, R_OK) != 0 && ++f < FOLDERS);
        if (f == FOLDERS)
            return unknown_kernel(name, origin, folders, err);
    }
    bool elsewhere = load_extras(path, pus);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return plb_fail(err, PLB_EINPUT, "%s: cannot load the kernel: %s", origin, dlerror());
    const struct plb_kernel *found = dlsym(object, "plb_kernel");
    int status = PLB_OK;
    if (found == NULL)
        status = plb_fail(err, PLB_EINPUT, "%s exports no 'plb_kernel'; a kernel defines `const struct plb_kernel plb_kernel` (see examples/custom-kernel)", path);
    else
        status = check(found, path, elsewhere, err);
    if (status == PLB_OK)
        *kernel = found;
    else
        dlclose(object);
    return status;
}

/* The hash of an extra object that this process has loaded, else 0. */
static uint64_t extra_hash(const char *path)
{
    uint64_t hash = 0;
    void *loaded = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (loaded == NULL)
        return 0;
    plb_hash_file(path, &hash);
    dlclose(loaded);
    return hash;
}

int plb_kernel_identity(const struct plb_kernel *kernel, struct plb_kernel_identity *identity, struct plb_error *err)
{
    Dl_info object;
    char extra[PATH];
    int n = 0;
    *identity = (struct plb_kernel_identity){.abi = kernel->abi, .version = PLB_VERSION};
    if (dladdr(kernel, &object) == 0 || !plb_hash_file(object.dli_fname, &identity->hash))
        return plb_fail(err, PLB_EFAILED, "the file of kernel %s cannot be read any more; put it back and run again", kernel->name);
    for (int d = 0; plb_device_drivers[d] != NULL && n < PLB_EXTRA_OBJECTS; d++)
        if (plb_device_drivers[d]->object != NULL) {
            extra_path(object.dli_fname, plb_device_drivers[d], extra);
            identity->extra[n++] = extra_hash(extra);
        }
    return PLB_OK;
}
