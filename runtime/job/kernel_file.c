/* Kernels as shared objects: loads them, checks that they fit this plbrun, and says which build they are. */
#include "job/kernel_file.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "app/phase.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/version.h"
#include "job/kernel_search.h"
#include "job/object_file.h"

#define WHY 600 /* bytes of a host's sentence */

static const char *const kinds[] = {"CPU", "GPU", "accelerator"}; /* by enum plb_pu_kind */

/* Checks that a kernel fits this plbrun. The ABI comes first: in another ABI the fields after the first two
 * may be anything. elsewhere: entries may be in an extra object that this rank, with no such device, has not
 * loaded. */
static int check(const struct plb_kernel *k, const char *path, bool elsewhere, struct plb_error *err)
{
    if (k->abi != PLB_KERNEL_ABI || k->size != sizeof *k)
        return plb_fail(err, PLB_EINPUT,
                        "%s was built for kernel ABI %u (%u bytes), this plbrun has ABI %u (%zu "
                        "bytes); rebuild it against this plb/kernel.h",
                        path, k->abi, k->size, PLB_KERNEL_ABI, sizeof *k);
    static const char *const taken[] = {"app", "balance", "cluster", "run"};
    if (k->name != NULL)
        for (int i = 0; i < 4; i++)
            if (strcmp(k->name, taken[i]) == 0)
                return plb_fail(err, PLB_EINPUT,
                                "%s: a kernel cannot be named '%s', which is a section of the conf "
                                "file; rename it",
                                path, k->name);
    struct plb_phase only = plb_only_phase(k);
    bool runs = k->phases != NULL || plb_driver_runs(&only) || elsewhere;
    if (k->name == NULL || k->unit == NULL || k->setup == NULL || !runs)
        return plb_fail(err, PLB_EINPUT,
                        "%s: its plb_kernel lacks a name, unit, setup, or an entry (one "
                        "that is there, see PLB_CUDA_ENTRY in plb/kernel.h)",
                        path);
    return plb_phase_check(k, path, elsewhere, err);
}

/* The path of a driver's extra object NAME.x.so, which belongs to NAME.so. */
static void extra_path(const char *path, const struct plb_device_driver *driver,
                       char extra[PLB_KERNEL_PATH_BYTES])
{
    snprintf(extra, PLB_KERNEL_PATH_BYTES, "%.*s.%s.so", (int)(strlen(path) - strlen(".so")), path,
             driver->object);
}

/* Loads the extra objects of path/NAME.so whose devices are here and wanted. Returns whether there is an
 * extra object, loaded or not. */
static bool load_extras(const char *path, const struct plb_pu_settings *pus)
{
    bool there = false;
    for (int d = 0; plb_device_drivers[d] != NULL; d++) {
        const struct plb_device_driver *driver = plb_device_drivers[d];
        char extra[PLB_KERNEL_PATH_BYTES];
        if (driver->object == NULL)
            continue;
        extra_path(path, driver, extra);
        if (access(extra, R_OK) != 0)
            continue;
        there = true;
        bool wanted = pus != NULL && plb_driver_wanted(driver, pus->wanted) && driver->count(NULL) > 0;
        if (wanted && plb_object_is_truncated(extra))
            plb_log(PLB_LOG_WARNING, "%ss are not used, because %s is truncated; build it again",
                    kinds[driver->kind], extra);
        else if (wanted && dlopen(extra, RTLD_NOW | RTLD_GLOBAL) == NULL)
            plb_log(PLB_LOG_WARNING,
                    "%ss are not used, because %s cannot be loaded: %s; install what is missing, or add its "
                    "folder to LD_LIBRARY_PATH",
                    kinds[driver->kind], extra, dlerror());
    }
    return there;
}

/* Whether an object that exports no plb_kernel is of another kind. */
static int lacks_kernel(void *object, const char *path, struct plb_error *err)
{
    if (dlsym(object, "plb_kernel_open") != NULL)
        return plb_fail(err, PLB_EINPUT, "%s runs kernels in another language; name the file of one", path);
    return plb_fail(err, PLB_EINPUT,
                    "%s exports no 'plb_kernel'; a kernel defines "
                    "`const struct plb_kernel plb_kernel` (see examples/custom-kernel)",
                    path);
}

/* Has the host of a kernel in another language make it. The host stays loaded. */
static int load_hosted(const char *file, const char *origin, const struct plb_kernel **kernel,
                       struct plb_error *err)
{
    char path[PLB_KERNEL_PATH_BYTES], why[WHY] = "";
    const struct plb_kernel *(*open)(const char *, char *, size_t);
    if (plb_kernel_find(plb_kernel_host(file), origin, path, err) != PLB_OK)
        return err->status;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    *(void **)&open = object != NULL ? dlsym(object, "plb_kernel_open") : NULL;
    if (open == NULL)
        return plb_fail(err, PLB_EINPUT, "%s: cannot load %s, which runs %s: %s", origin, path, file,
                        dlerror());
    const struct plb_kernel *found = open(file, why, sizeof why);
    if (found == NULL)
        return plb_fail(err, PLB_EINPUT, "%s", why);
    if (check(found, file, false, err) != PLB_OK)
        return err->status;
    plb_log(PLB_LOG_DEBUG, "kernel %s is %s by %s", found->name, file, path);
    *kernel = found;
    return PLB_OK;
}

int plb_kernel_load(const char *name, const char *origin, const struct plb_pu_settings *pus,
                    const struct plb_kernel **kernel, struct plb_error *err)
{
    char path[PLB_KERNEL_PATH_BYTES];
    if (plb_kernel_find(name, origin, path, err) != PLB_OK)
        return err->status;
    if (plb_kernel_host(path) != NULL)
        return load_hosted(path, origin, kernel, err);
    if (plb_object_is_truncated(path))
        return plb_fail(err, PLB_EINPUT, "%s: %s is truncated; build it again", origin, path);
    bool elsewhere = load_extras(path, pus);
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return plb_fail(err, PLB_EINPUT, "%s: cannot load the kernel: %s", origin, dlerror());
    const struct plb_kernel *found = dlsym(object, "plb_kernel");
    if (found != NULL && check(found, path, elsewhere, err) == PLB_OK) {
        plb_log(PLB_LOG_DEBUG, "kernel %s is %s", found->name, path);
        *kernel = found;
        return PLB_OK;
    }
    if (found == NULL)
        lacks_kernel(object, path, err);
    dlclose(object);
    return err->status;
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

int plb_kernel_identity(const struct plb_kernel *kernel, struct plb_kernel_identity *identity,
                        struct plb_error *err)
{
    Dl_info object;
    char extra[PLB_KERNEL_PATH_BYTES];
    int n = 0;
    *identity = (struct plb_kernel_identity){.abi = kernel->abi, .version = PLB_VERSION};
    uint64_t source = 0;
    if (dladdr(kernel, &object) == 0 || !plb_hash_file(object.dli_fname, &identity->hash)
        || (kernel->source != NULL && !plb_hash_file(kernel->source, &source)))
        return plb_fail(err, PLB_EFAILED,
                        "the file of kernel %s can no longer be read; restore it and run again",
                        kernel->name);
    if (kernel->source != NULL)
        identity->hash = plb_hash(identity->hash, &source, sizeof source);
    for (int d = 0; plb_device_drivers[d] != NULL && n < PLB_EXTRA_OBJECTS; d++)
        if (plb_device_drivers[d]->object != NULL) {
            extra_path(object.dli_fname, plb_device_drivers[d], extra);
            identity->extra[n++] = extra_hash(extra);
        }
    return PLB_OK;
}

bool plb_kernel_has_object(const struct plb_kernel *kernel, const struct plb_device_driver *driver)
{
    Dl_info object;
    char extra[PLB_KERNEL_PATH_BYTES];
    if (driver->object == NULL || dladdr(kernel, &object) == 0)
        return false;
    extra_path(object.dli_fname, driver, extra);
    return access(extra, R_OK) == 0;
}

void plb_kernel_path(const struct plb_kernel *kernel, char *path, size_t size)
{
    Dl_info object;
    const char *known = kernel->source != NULL       ? kernel->source
                      : dladdr(kernel, &object) != 0 ? object.dli_fname
                                                     : "?";
    size_t length = strlen(known), skip = length < size ? 0 : length - size + 1;
    snprintf(path, size, "%s", known + skip);
}
