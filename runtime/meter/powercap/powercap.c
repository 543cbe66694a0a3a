/* Counters of Intel and AMD processors (RAPL) in the powercap folder of sysfs. A zone is a package, or the
 * platform; zones in it are its cores and its memory. The same counters are there twice, where the processor
 * has them in its memory-mapped registers too ("intel-rapl-mmio"): those are left out. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meter/meter.h"
#include "meter/read_file.h"

#define REFRESH 1e-3 /* seconds; of the processor's counters */

/* The zone's counter, where it has one that this user may read. */
static bool take(const char *zone, struct plb_meter_domain *domain, char why[PLB_METER_WHY])
{
    char name[sizeof domain->name], range[32], path[1024];
    enum plb_meter_of of;
    if (!plb_meter_line(zone, "name", name, sizeof name) || !plb_meter_part(name, &of)
        || !plb_meter_line(zone, "max_energy_range_uj", range, sizeof range))
        return false;
    snprintf(path, sizeof path, "%s/energy_uj", zone);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        if (errno == EACCES && why[0] == '\0')
            snprintf(why, PLB_METER_WHY,
                     "only root may read %.120s; 'chmod o+r' on it allows everybody to, and so does 0 or "
                     "less in /proc/sys/kernel/perf_event_paranoid",
                     path);
        return false;
    }
    /* The last count before it begins again is the range itself. */
    *domain = (struct plb_meter_domain){
        .of = of, .joules = 1e-6, .range = strtod(range, NULL) + 1.0, .refresh = REFRESH, .at = {fd, -1}};
    snprintf(domain->name, sizeof domain->name, "%s", name);
    return true;
}

/* Of a zone in a package, the name gets the package's number: "dram" becomes "dram-0". */
static void number(const char *zone, struct plb_meter_domain *domain)
{
    int package;
    char name[sizeof domain->name];
    const char *digits = strrchr(zone, '/') + sizeof "/intel-rapl:" - 1;
    if (strchr(digits, ':') != NULL && sscanf(digits, "%d", &package) == 1) {
        snprintf(name, sizeof name, "%.20s-%d", domain->name, package);
        memcpy(domain->name, name, sizeof name);
    }
}

static int find(const char *root, struct plb_meter_domain *domains, int room, char why[PLB_METER_WHY])
{
    char pattern[1024];
    glob_t zones;
    int n = 0;
    snprintf(pattern, sizeof pattern, "%s/sys/class/powercap/intel-rapl:*", root);
    if (glob(pattern, 0, NULL, &zones) != 0)
        return 0;
    for (size_t z = 0; z < zones.gl_pathc && n < room; z++)
        if (take(zones.gl_pathv[z], &domains[n], why))
            number(zones.gl_pathv[z], &domains[n++]);
    globfree(&zones);
    return n;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all meters */
static bool read_domain(const struct plb_meter_domain *domain, uint64_t *count, double *watts)
{
    (void)watts;
    return plb_meter_number(domain->at[0], count);
}

static void close_domain(struct plb_meter_domain *domain)
{
    close(domain->at[0]);
}

const struct plb_meter_driver plb_meter_powercap = {
    .name = "powercap", .find = find, .read = read_domain, .close = close_domain};
