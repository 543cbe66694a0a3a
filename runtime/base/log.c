/* One write for each line, so that the lines of several ranks do not mix. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/name.h"

static struct {
    enum plb_log_level most;
    int rank;
    char host[PLB_HOST_NAME];
    double began;
} state = {.most = PLB_LOG_WARNING};

void plb_log_open(enum plb_log_level most)
{
    state.most = most;
    state.began = plb_now();
    gethostname(state.host, sizeof state.host - 1);
}

void plb_log_rank(int rank)
{
    state.rank = rank;
}

bool plb_log_shows(enum plb_log_level level)
{
    return level <= state.most;
}

/* Prints a line of the log; names: the line names its rank. */
__attribute__((format(printf, 3, 0))) static void print(enum plb_log_level level, bool names,
                                                        const char *format, va_list args)
{
    char time[32] = "", rank[PLB_HOST_NAME + 32] = "", line[1200];
    if (!plb_log_shows(level))
        return;
    if (plb_log_shows(PLB_LOG_INFO))
        snprintf(time, sizeof time, "[%.3f s] ", plb_now() - state.began);
    if (names)
        snprintf(rank, sizeof rank, "rank %d on %s: ", state.rank, state.host);
    vsnprintf(line, sizeof line, format, args);
    fprintf(stderr, "plbrun: %s%s%s%s\n", time, level == PLB_LOG_WARNING ? "warning: " : "", rank, line);
}

void plb_log(enum plb_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(level, state.rank != 0, format, args);
    va_end(args);
}

void plb_log_here(enum plb_log_level level, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    print(level, true, format, args);
    va_end(args);
}

void plb_say(const char *format, ...)
{
    char line[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    fprintf(stderr, "plbrun: %s\n", line);
}
