/* Create, write, sync, name, rename. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(struct plb_error *err, const char *path, int reason)
{
    return plb_fail(err, PLB_EFAILED,
                    "%s: cannot be written: %s; check that its folder exists, that you may "
                    "write there and that there is room",
                    path, strerror(reason));
}

/* A file without a name in the folder of `path`; -1 where the file system has no such files. */
static int open_nameless(const char *path)
{
    char *copy = strdup(path);
    int fd = copy != NULL ? open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666) : -1;
    free(copy);
    return fd;
}

int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err)
{
    struct stat info;
    bool in_place = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
    *file = (struct plb_file){.path = strdup(path)};
    if (!in_place && asprintf(&file->temporary, "%s.tmp.%ld", path, (long)getpid()) < 0)
        file->temporary = NULL;
    int fd = in_place ? open(path, O_WRONLY | O_CLOEXEC) : open_nameless(path);
    if (fd < 0 && !in_place && file->temporary != NULL) {
        fd = open(file->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        file->named = fd >= 0;
    }
    file->stream = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (file->stream != NULL)
        return PLB_OK;
    cannot(err, path, errno);
    if (fd >= 0)
        close(fd);
    free(file->path);
    free(file->temporary);
    return err->status;
}

/* Gives a nameless file its temporary name. A link cannot replace a file that is there already; a rename
 * can. */
static bool name_it(struct plb_file *file)
{
    char link[64];
    if (file->named)
        return true;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(file->stream));
    unlink(file->temporary); /* left by a process that had this number before */
    file->named = linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) == 0;
    return file->named;
}

int plb_file_commit(struct plb_file *file, struct plb_error *err)
{
    if (!ferror(file->stream))
        errno = 0; /* else errno still says why a write failed */
    bool replaces = file->temporary != NULL, written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && fsync(fileno(file->stream)) != 0 && errno != EINVAL && errno != ENOTSUP)
        written = false;
    if (written && replaces && err->status == PLB_OK)
        written = name_it(file);
    int reason = errno;
    if (fclose(file->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && replaces && err->status == PLB_OK && rename(file->temporary, file->path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written)
        cannot(err, file->path, reason != 0 ? reason : EIO);
    if (err->status != PLB_OK && replaces && file->named)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    return err->status;
}
