/* Counters of Intel and AMD processors (RAPL) as events of perf. The kernel makes 64 bits of the 32 that the
 * processor has. One CPU of each package is named in cpumask, and the events are opened there. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "meter/meter.h"
#include "meter/read_file.h"

#define REFRESH 1e-3 /* seconds; of the processor's counters */

static const char *const events[] = {"energy-pkg", "energy-cores", "energy-ram", "energy-psys"};

/* The package that a CPU belongs to. */
static int package_of(const char *root, int cpu)
{
    char folder[1024], line[32];
    snprintf(folder, sizeof folder, "%s/sys/devices/system/cpu/cpu%d/topology", root, cpu);
    return plb_meter_line(folder, "physical_package_id", line, sizeof line) ? atoi(line) : 0;
}

/* Opens the event on the CPU. False where there is no such event, or where this user may not. */
static bool take(const char *folder, const char *event, int type, int cpu, struct plb_meter_domain *domain,
                 char why[PLB_METER_WHY])
{
    char name[64], line[64];
    unsigned code;
    snprintf(name, sizeof name, "events/%s", event);
    if (!plb_meter_line(folder, name, line, sizeof line) || sscanf(line, "event=%x", &code) != 1)
        return false;
    snprintf(name, sizeof name, "events/%s.scale", event);
    if (!plb_meter_line(folder, name, line, sizeof line))
        return false;
    struct perf_event_attr attr = {.type = (uint32_t)type, .size = sizeof attr, .config = code};
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && (errno == EACCES || errno == EPERM))
        snprintf(why, PLB_METER_WHY,
                 "/proc/sys/kernel/perf_event_paranoid forbids users to read the processor's counters; 0 or "
                 "less allows it");
    *domain = (struct plb_meter_domain){.joules = strtod(line, NULL), .refresh = REFRESH, .at = {fd, -1}};
    return fd >= 0 && plb_meter_part(event + sizeof "energy-" - 1, &domain->of);
}

/* The events of one package. */
static int take_all(const char *root, const char *folder, int type, int cpu, struct plb_meter_domain *domains,
                    int room, char why[PLB_METER_WHY])
{
    static const char *const names[] = {"package", "core", "dram", "psys"};
    int n = 0;
    for (size_t e = 0; e < sizeof events / sizeof *events && n < room; e++)
        if (take(folder, events[e], type, cpu, &domains[n], why)) {
            snprintf(domains[n].name, sizeof domains[n].name, "%s-%d", names[e], package_of(root, cpu));
            n++;
        }
    return n;
}

static int find(const char *root, struct plb_meter_domain *domains, int room, char why[PLB_METER_WHY])
{
    char folder[1024], type[32], cpus[256], *next;
    int n = 0;
    snprintf(folder, sizeof folder, "%s/sys/bus/event_source/devices/power", root);
    if (!plb_meter_line(folder, "type", type, sizeof type)
        || !plb_meter_line(folder, "cpumask", cpus, sizeof cpus))
        return 0;
    for (char *cpu = strtok_r(cpus, ",", &next); cpu != NULL; cpu = strtok_r(NULL, ",", &next))
        n += take_all(root, folder, atoi(type), atoi(cpu), domains + n, room - n, why);
    return n;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all meters */
static bool read_domain(const struct plb_meter_domain *domain, uint64_t *count, double *watts)
{
    (void)watts;
    return read(domain->at[0], count, sizeof *count) == sizeof *count;
}

static void close_domain(struct plb_meter_domain *domain)
{
    close(domain->at[0]);
}

const struct plb_meter_driver plb_meter_perf = {
    .name = "perf", .find = find, .read = read_domain, .close = close_domain};
