/* Files without a name that ranks of a host open in each other: by their number in /proc. */
#ifndef PLB_INPUTS_HOST_FILE_H
#define PLB_INPUTS_HOST_FILE_H

#include <stdbool.h>
#include <sys/types.h>

/* An open file, as its rank describes it to the others of its host. */
struct plb_host_file {
    int fd, pid; /* fd < 0: there is none */
    dev_t device;
    ino_t number;
    off_t bytes;
};

/* Describes an open file of this process. False: it is not known, and fd is -1 in the description. */
bool plb_host_file_offer(int fd, struct plb_host_file *file);

/* Opens the file of another process of this host; flags: as of open. The caller closes it. -1: there is none,
 * or it cannot be seen. A process of another PID name space may have the same number; its file is another
 * one. */
int plb_host_file_open(const struct plb_host_file *file, int flags);

#endif
