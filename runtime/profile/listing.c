/* The list of profiles on disk. */
#include "profile/listing.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "profile/profile_file.h"

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
    const char *wrong = strcmp(name + length - 8, ".damaged") == 0
                          ? "renamed"
                          : plb_profile_examine(path, &key, &profile);
    if (wrong != NULL)
        fprintf(out, "%-48s damaged: %s\n", name, wrong);
    else
        fprintf(out, "%-48s %-12s %-18s %-14s %2d samples  %s old\n", name, key.kernel, key.pu, key.kind,
                profile.n, age);
}

int plb_profiles_list(FILE *out, struct plb_error *err)
{
    char folder[PATH_MAX];
    struct dirent **entries = NULL;
    if (!plb_profile_folder(folder, sizeof folder))
        return plb_fail(
            err, PLB_EFAILED,
            "there are no profiles: neither XDG_CACHE_HOME nor HOME names a folder to keep them in");
    int n = scandir(folder, &entries, is_profile, alphasort);
    if (n < 0 && errno != ENOENT)
        return plb_fail(err, PLB_EFAILED, "profiles are in %s, which cannot be read: %s", folder,
                        strerror(errno));
    if (n <= 0)
        fprintf(out, "There are no profiles in %s; balance.profile=on writes them.\n", folder);
    else
        fprintf(out, "Profiles in %s:\n", folder);
    for (int i = 0; i < n; i++) {
        list_file(out, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return PLB_OK;
}
