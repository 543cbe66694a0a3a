/* Kernels by name: the folders that are searched, and what is in them. */
#include "job/kernel_search.h"

#include <dirent.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "config/file_kind.h"
#include "config/nearest.h"
#include "config/settings.h"
#include "device/driver.h"

#define OWN_FOLDERS 3
#ifndef PLB_KERNELS_FROM_BIN /* scripts/install.mk tells another place */
#define PLB_KERNELS_FROM_BIN "../lib/plbrun"
#endif
#define MOST_KERNELS 64 /* names that a list of kernels has */
#define NAME_BYTES 64
#define PYTHON "python" /* the host of NAME.py */

/* The folders that are searched, in this order. */
struct folders {
    char **at;  /* owned */
    int n, own; /* the first that is plbrun's own, and not named by PLB_KERNEL_PATH */
};

static void add_folder(struct folders *f, const char *begin, const char *end)
{
    f->at = plb_grow(f->at, (size_t)(f->n + 1) * sizeof *f->at);
    f->at[f->n] = plb_alloc(PATH_MAX);
    snprintf(f->at[f->n++], PATH_MAX, "%.3000s%.1000s", begin, end);
}

/* The folders of PLB_KERNEL_PATH; then those below or beside a built plbrun, and those of an
 * installed one. */
static void folders_init(struct folders *f)
{
    char self[PATH_MAX] = "";
    *f = (struct folders){.at = NULL};
    const char *variable = getenv(PLB_KERNEL_FOLDERS_VARIABLE);
    char *named = strdup(variable != NULL ? variable : ""), *rest;
    for (char *name = strtok_r(named, ":", &rest); name != NULL; name = strtok_r(NULL, ":", &rest))
        add_folder(f, name, "");
    free(named);
    f->own = f->n;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    const char *home = dirname(self);
    static const char *const ends[OWN_FOLDERS] = {"/build/kernels", "/kernels", "/" PLB_KERNELS_FROM_BIN};
    for (int i = 0; i < OWN_FOLDERS; i++)
        add_folder(f, home, ends[i]);
}

static void folders_fini(struct folders *f)
{
    for (int i = 0; i < f->n; i++)
        free(f->at[i]);
    free(f->at);
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

/* The kernels that a name finds. */
struct kernels {
    int n;
    char names[MOST_KERNELS][NAME_BYTES];
    const char *list[MOST_KERNELS + 1]; /* the names; NULL-ended */
    const char *folders[MOST_KERNELS];
};

static bool is_listed(const struct kernels *k, const char *name)
{
    for (int i = 0; i < k->n; i++)
        if (strcmp(k->names[i], name) == 0)
            return true;
    return false;
}

static int is_kernel(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 3 && length < NAME_BYTES && strcmp(entry->d_name + length - 3, ".so") == 0
        && !is_extra(entry->d_name) && strcmp(entry->d_name, PYTHON ".so") != 0;
}

/* Adds the kernels of a folder in the order of their names, but for names that an earlier folder has. */
static void list_folder(struct kernels *k, const char *folder)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_kernel, alphasort);
    for (int i = 0; i < n; i++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%.*s", (int)(strlen(entries[i]->d_name) - 3), entries[i]->d_name);
        free(entries[i]);
        if (k->n == MOST_KERNELS || is_listed(k, name))
            continue;
        memcpy(k->names[k->n], name, sizeof name);
        k->folders[k->n] = folder;
        k->list[k->n] = k->names[k->n];
        k->n++;
    }
    free(entries);
}

static void list_all(struct kernels *k, const struct folders *f)
{
    *k = (struct kernels){.n = 0};
    for (int i = 0; i < f->n; i++)
        list_folder(k, f->at[i]);
}

/* Adds a text to a list with commas; what does not fit is left out. */
static void add_to_list(char *all, size_t size, const char *text, const char *note)
{
    size_t length = strlen(all);
    snprintf(all + length, size - length, "%s%s%s", length > 0 ? ", " : "", text, note);
}

static int unknown_kernel(const char *name, const char *origin, const struct folders *f,
                          struct plb_error *err)
{
    char all[300] = "", looked[500] = "";
    struct kernels k;
    list_all(&k, f);
    for (int i = 0; i < k.n; i++)
        add_to_list(all, sizeof all, k.list[i], "");
    for (int i = 0; i < f->n; i++) {
        bool there = access(f->at[i], R_OK | X_OK) == 0;
        if (there || i < f->own)
            add_to_list(looked, sizeof looked, f->at[i], there ? "" : " (missing)");
    }
    const char *near = plb_nearest(name, k.list);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: there is no kernel '%s' in %s; did you mean '%s'?", origin,
                        name, looked, near);
    return plb_fail(err, PLB_EINPUT,
                    "%s: there is no kernel '%s' in %s, which has: %s; name one of these, or the path of a "
                    ".so or .py, or add its folder to " PLB_KERNEL_FOLDERS_VARIABLE,
                    origin, name, looked[0] != '\0' ? looked : "any folder", k.n > 0 ? all : "none");
}

/* Looks for NAME.so in the folders up to `end`. */
static bool find_in(const struct folders *f, int end, const char *name, char path[PLB_KERNEL_PATH_BYTES])
{
    for (int i = 0; i < end; i++) {
        snprintf(path, PLB_KERNEL_PATH_BYTES, "%.4090s/%.70s.so", f->at[i], name);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool plb_is_object_path(const char *name)
{
    return strchr(name, '/') != NULL || plb_is_kernel_file(name);
}

const char *plb_kernel_host(const char *path)
{
    return plb_ends_in(path, ".py") ? PYTHON : NULL;
}

int plb_kernel_find(const char *name, const char *origin, char path[PLB_KERNEL_PATH_BYTES],
                    struct plb_error *err)
{
    struct folders f;
    if (plb_is_source(name))
        return plb_fail(err, PLB_EINPUT, "%s: %s is source code; compile it, and name the .so", origin, name);
    if (plb_is_object_path(name)) {
        snprintf(path, PLB_KERNEL_PATH_BYTES, "%s%s", strchr(name, '/') != NULL ? "" : "./", name);
        if (access(path, R_OK) == 0)
            return PLB_OK;
        return plb_fail(err, PLB_EINPUT,
                        "%s: the kernel file %s does not exist or cannot be read; %scorrect the path", origin,
                        name, plb_kernel_host(name) == NULL ? "build it first, or " : "");
    }
    folders_init(&f);
    int status = find_in(&f, f.n, name, path) ? PLB_OK : unknown_kernel(name, origin, &f, err);
    folders_fini(&f);
    return status;
}

void plb_kernel_name_for_ranks(const char *name, char told[PATH_MAX])
{
    struct folders f;
    char path[PLB_KERNEL_PATH_BYTES], *full = NULL;
    folders_init(&f);
    if (plb_is_object_path(name))
        full = realpath(name, NULL);
    else if (find_in(&f, f.own, name, path))
        full = realpath(path, NULL);
    snprintf(told, PATH_MAX, "%s", full != NULL ? full : name);
    free(full);
    folders_fini(&f);
}

void plb_kernels_list(FILE *out)
{
    struct folders f;
    struct kernels k;
    folders_init(&f);
    list_all(&k, &f);
    for (int i = 0; i < k.n; i++)
        fprintf(out, "%-12s %s/%s.so\n", k.list[i], k.folders[i], k.list[i]);
    folders_fini(&f);
}
