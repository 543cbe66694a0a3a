/* Links are followed one by one: realpath wants the file to be there, and the name of a descriptor leads to a
 * file that must not be replaced. */
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_LINKS 40 /* in a row; as Linux has it */

char *plb_path_folder(const char *path)
{
    char *copy = strdup(path), *folder = copy != NULL ? strdup(dirname(copy)) : NULL;
    free(copy);
    return folder;
}

const char *plb_path_ending(const char *path)
{
    const char *slash = strrchr(path, '/'), *last = slash != NULL ? slash + 1 : path;
    const char *dot = strrchr(last, '.');
    return dot != NULL && dot != last ? dot : "";
}

int plb_path_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (int i = 0; i < 3; i++)
        if (strcmp(path, streams[i]) == 0)
            return i;
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(folders[i]), digits;
        if (strncmp(path, folders[i], length) != 0)
            continue;
        digits = strspn(path + length, "0123456789");
        if (digits > 0 && digits < 9 && path[length + digits] == '\0')
            return atoi(path + length);
    }
    return -1;
}

/* Where one link leads, from the folder that it is in. */
static char *follow(const char *link, const char *to)
{
    char *folder = plb_path_folder(link), *path = NULL;
    if (to[0] == '/')
        path = strdup(to);
    else if (folder != NULL && asprintf(&path, "%s/%s", folder, to) < 0)
        path = NULL;
    free(folder);
    return path;
}

char *plb_path_target(const char *path)
{
    char *at = strdup(path), to[PATH_MAX];
    for (int links = 0; at != NULL && plb_path_descriptor(at) < 0; links++) {
        ssize_t length = readlink(at, to, sizeof to - 1);
        if (length < 0)
            break;
        to[length] = '\0';
        char *next = links < MOST_LINKS ? follow(at, to) : NULL;
        free(at);
        at = next;
    }
    return at;
}

void plb_path_sync_folder(const char *path)
{
    int reason = errno;
    char *folder = plb_path_folder(path);
    int fd = folder != NULL ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
    errno = reason;
}
