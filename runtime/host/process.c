/* /proc and pidfd, which Linux has. */
#include "host/process.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads the state and the start out of /proc/PID/stat. The second word, the name, is in parentheses and may
 * hold some; the third word is the state, and the 22nd one the start. */
static bool look(int pid, char *state, long long *started)
{
    char path[40], line[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const char *name_end = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    return name_end != NULL
        && sscanf(name_end + 1,
                  " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lld", state,
                  started)
               == 2;
}

long long plb_process_started(int pid)
{
    char state;
    long long started;
    return look(pid, &state, &started) ? started : 0;
}

char plb_process_state(int pid)
{
    char state;
    long long started;
    return look(pid, &state, &started) ? state : '?';
}

/* The number may have got another process before it is opened, and then the start differs. Afterwards the
 * pidfd names one process for good. */
int plb_process_open(int pid, long long started)
{
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (fd >= 0 && (started == 0 || plb_process_started(pid) != started)) {
        close(fd);
        return -1;
    }
    return fd;
}
