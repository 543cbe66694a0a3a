/* Write, sync, rename. */
#include "base/file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int plb_file_create(struct plb_file *file, const char *path, struct plb_error *err)
{
    *file = (struct plb_file){.path = strdup(path)};
    if (asprintf(&file->temporary, "%s.tmp.%ld", path, (long)getpid()) < 0)
        file->temporary = NULL;
    file->stream = file->temporary != NULL ? fopen(file->temporary, "wb") : NULL;
    if (file->stream != NULL)
        return PLB_OK;
    plb_fail(err, PLB_EFAILED, "cannot write %s: %s; check its folder", path, strerror(errno));
    free(file->path);
    free(file->temporary);
    return err->status;
}

int plb_file_commit(struct plb_file *file, struct plb_error *err)
{
    errno = 0;
    bool written = fflush(file->stream) == 0 && !ferror(file->stream);
    if (written && fsync(fileno(file->stream)) != 0 && errno != EINVAL)
        written = false;
    int reason = errno;
    if (fclose(file->stream) != 0 && written) {
        written = false;
        reason = errno;
    }
    if (written && err->status == PLB_OK && rename(file->temporary, file->path) != 0) {
        written = false;
        reason = errno;
    }
    if (!written)
        plb_fail(err, PLB_EFAILED, "cannot write %s: %s; check space and permissions of its folder", file->path,
                 strerror(reason != 0 ? reason : EIO));
    if (err->status != PLB_OK)
        unlink(file->temporary);
    free(file->path);
    free(file->temporary);
    return err->status;
}
