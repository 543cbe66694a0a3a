/* Kernels by name: the folders that are searched, and what is in them. */
#include "job/kernel_search.h"

#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "device/driver.h"

#define FOLDERS 3
#define MOST_KERNELS 64 /* names that a sentence about an unknown kernel considers */

/* The folders with kernels: below or beside a built plbrun, and below the prefix of an installed one. */
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

/* Adds the names of the kernels in a folder to a NULL-ended list of n; returns its length. */
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
    char names[MOST_KERNELS][64], all[512] = "";
    const char *list[MOST_KERNELS + 1];
    int n = 0;
    for (int f = 0; f < FOLDERS; f++)
        n = list_kernels(folders[f], names, list, n, MOST_KERNELS);
    for (int i = 0; i < n; i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i > 0 ? ", " : "", list[i]);
    const char *near = plb_nearest(name, list);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: there is no kernel '%s'; did you mean '%s'?", origin, name,
                        near);
    return plb_fail(err, PLB_EINPUT, "%s: there is no kernel '%s'; there are: %s; or give the path of a .so",
                    origin, name, n > 0 ? all : "none");
}

bool plb_is_object_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

int plb_kernel_find(const char *name, const char *origin, char path[PLB_KERNEL_PATH], struct plb_error *err)
{
    char folders[FOLDERS][PATH_MAX];
    if (plb_is_object_path(name)) {
        snprintf(path, PLB_KERNEL_PATH, "%s%s", strchr(name, '/') != NULL ? "" : "./", name);
        if (access(path, R_OK) == 0)
            return PLB_OK;
        return plb_fail(
            err, PLB_EINPUT,
            "%s: the kernel file %s does not exist or cannot be read; build it first, or correct the path",
            origin, name);
    }
    kernel_folders(folders);
    for (int f = 0; f < FOLDERS; f++) {
        snprintf(path, PLB_KERNEL_PATH, "%.4090s/%.70s.so", folders[f], name);
        if (access(path, R_OK) == 0)
            return PLB_OK;
    }
    return unknown_kernel(name, origin, folders, err);
}
