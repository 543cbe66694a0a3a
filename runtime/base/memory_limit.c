/* sysinfo, and the files of control groups.
 *
 * /proc/self/cgroup names the process's group: "0::PATH" in version 2, "N:memory:PATH" in version 1. A limit
 * holds for all groups below it, so the least one on the way up to the root counts. In a container PATH may
 * be one of the host, which is not there; then the root is the container's own group. */
#include "base/memory_limit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* A whole number from a file; INT64_MAX where there is none, as in "max". */
static int64_t read_number(const char *path)
{
    long long number = INT64_MAX;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return INT64_MAX;
    if (fscanf(file, "%lld", &number) != 1 || number < 0)
        number = INT64_MAX;
    fclose(file);
    return number;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The least limit of a group and of those above it. `base` is where the groups are, `file` has the limit. */
static int64_t group_limit(const char *base, const char *group, const char *file)
{
    char at[PATH_MAX], path[2 * PATH_MAX + 32];
    int64_t limit = INT64_MAX;
    snprintf(at, sizeof at, "%s", group);
    for (;;) {
        snprintf(path, sizeof path, "%s%s/%s", base, at, file);
        limit = least(limit, read_number(path));
        char *slash = strrchr(at, '/');
        if (slash == NULL)
            return limit;
        *slash = '\0';
    }
}

/* The limit that one line of /proc/self/cgroup leads to: "NUMBER:CONTROLLERS:PATH". */
static int64_t line_limit(const char *root, char *line)
{
    char base[PATH_MAX];
    char *controllers = strchr(line, ':'), *group = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (group == NULL)
        return INT64_MAX;
    group[strcspn(group, "\n")] = '\0';
    *group = '\0';
    const char *wanted = strstr(controllers, "memory");
    if (wanted == NULL && strcmp(controllers, ":") != 0)
        return INT64_MAX;
    snprintf(base, sizeof base, "%s/sys/fs/cgroup%s", root, wanted != NULL ? "/memory" : "");
    return group_limit(base, group + 1, wanted != NULL ? "memory.limit_in_bytes" : "memory.max");
}

static int64_t container_limit(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX];
    int64_t limit = INT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        limit = least(limit, line_limit(root, line));
    if (file != NULL)
        fclose(file);
    return limit;
}

int64_t plb_memory_limit(const char *root)
{
    struct sysinfo info;
    int64_t limit = container_limit(root), unit, memory, swap;
    if (sysinfo(&info) != 0)
        return limit;
    unit = info.mem_unit > 0 ? info.mem_unit : 1;
    if (__builtin_mul_overflow((int64_t)info.totalram, unit, &memory)
        || __builtin_mul_overflow((int64_t)info.totalswap, unit, &swap))
        return limit;
    int64_t most = least(limit, memory);
    return most > INT64_MAX - swap ? INT64_MAX : most + swap;
}

int64_t plb_memory_used(void)
{
    long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (file == NULL)
        return 0;
    if (fscanf(file, "%*d %lld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* As the machine says; INT64_MAX where it says nothing. */
static int64_t machine_available(const char *root)
{
    char path[PATH_MAX], line[200];
    long long kilobytes = -1;
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = fopen(path, "re");
    while (file != NULL && kilobytes < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) != 1)
            kilobytes = -1;
    if (file != NULL)
        fclose(file);
    return kilobytes >= 0 && kilobytes < INT64_MAX / 1024 ? kilobytes * 1024 : INT64_MAX;
}

int64_t plb_memory_available(const char *root)
{
    int64_t left = plb_memory_limit(root) - plb_memory_used();
    return least(left > 0 ? left : 0, machine_available(root));
}
