/* A path in /proc, and a look at what is there. */
#include "inputs/host_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool plb_host_file_offer(int fd, struct plb_host_file *file)
{
    struct stat info;
    *file = (struct plb_host_file){.fd = -1};
    if (fstat(fd, &info) != 0)
        return false;
    *file = (struct plb_host_file){fd, (int)getpid(), info.st_dev, info.st_ino, info.st_size};
    return true;
}

int plb_host_file_open(const struct plb_host_file *file, int flags)
{
    char path[60];
    struct stat info;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", file->pid, file->fd);
    int fd = file->fd < 0 ? -1 : open(path, flags | O_CLOEXEC | O_NONBLOCK);
    bool same = fd >= 0 && fstat(fd, &info) == 0 && info.st_dev == file->device && info.st_ino == file->number
             && info.st_size == file->bytes;
    if (fd >= 0 && !same)
        close(fd);
    return same ? fd : -1;
}
