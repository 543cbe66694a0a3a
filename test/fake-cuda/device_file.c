/* To be preloaded: access() finds the file of NVIDIA's driver, or does not, as PLB_FAKE_DEVICE_FILE says
 * (yes or no), whatever this machine has. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int access(const char *path, int mode)
{
    const char *there = getenv("PLB_FAKE_DEVICE_FILE");
    if (there == NULL || strcmp(path, "/dev/nvidiactl") != 0)
        return faccessat(AT_FDCWD, path, mode, 0);
    errno = ENOENT;
    return strcmp(there, "yes") == 0 ? 0 : -1;
}
