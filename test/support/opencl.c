/* A loader of OpenCL that holds no platform. It does what PoCL does where hwloc asks it inside of MPI_Init:
 * says so, and takes the handlers of the program as LLVM does. They print, put back what was there before
 * them, and return. Named libOpenCL.so.1 in a folder of LD_LIBRARY_PATH. */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int taken[] = {SIGSEGV, SIGBUS, SIGFPE,  SIGILL,  SIGABRT, SIGINT,
                            SIGTERM, SIGHUP, SIGUSR1, SIGPIPE, SIGXFSZ};
enum { TAKEN = sizeof taken / sizeof *taken };
static struct sigaction before[TAKEN];

static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        _exit(1);
}

static void on_signal(int number)
{
    (void)number;
    say("opencl: a signal\n");
    for (int i = 0; i < TAKEN; i++)
        sigaction(taken[i], &before[i], NULL);
}

int clGetPlatformIDs(unsigned entries, void **platforms, unsigned *n);
int clGetPlatformIDs(unsigned entries, void **platforms, unsigned *n)
{
    const struct sigaction ours = {.sa_handler = on_signal};
    (void)entries;
    (void)platforms;
    say("opencl: opened\n");
    for (int i = 0; i < TAKEN; i++)
        sigaction(taken[i], &ours, &before[i]);
    if (n != NULL)
        *n = 0;
    return -1001; /* CL_PLATFORM_NOT_FOUND_KHR */
}

/* Called for platforms alone. */
int clGetPlatformInfo(void);
int clGetPlatformInfo(void)
{
    return -1;
}
int clGetDeviceIDs(void);
int clGetDeviceIDs(void)
{
    return -1;
}
int clGetDeviceInfo(void);
int clGetDeviceInfo(void)
{
    return -1;
}
