/* Sensors of hwmon. It has rails of any board, and joules of a rail are in those of others already. So only
 * those are taken whose meaning is known: counters of sockets (amd_energy), the power meter of a host (ACPI),
 * and GPUs of AMD and Intel. */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meter/meter.h"
#include "meter/read_file.h"

#define REFRESH 0.1 /* seconds; counters are refreshed sooner, power meters take about a second */

static const struct {
    const char *chip;
    enum plb_meter_of of;
    const char *counter, *power; /* files; with a number in place of the star */
} chips[] = {{"amd_energy", PLB_METER_PACKAGE, "energy*_input", NULL},
             {"power_meter", PLB_METER_PLATFORM, NULL, "power*_average"},
             {"amdgpu", PLB_METER_GPU, NULL, "power*_average"},
             {"i915", PLB_METER_GPU, "energy*_input", NULL},
             {"xe", PLB_METER_GPU, "energy*_input", NULL}};

/* The PCI address is the name that the link "device" leads to. */
static void read_address(const char *folder, char pci[16])
{
    char path[1024], target[1024];
    snprintf(path, sizeof path, "%s/device", folder);
    ssize_t n = readlink(path, target, sizeof target - 1);
    target[n < 0 ? 0 : n] = '\0';
    const char *last = strrchr(target, '/');
    snprintf(pci, 16, "%.15s", last == NULL ? target : last + 1);
}

/* The sensor at this file. amd_energy has counters of single cores, too: their label is "Ecore…". */
static bool take(const char *folder, const char *file, bool counter, enum plb_meter_of of,
                 struct plb_meter_domain *domain)
{
    const char *name = strrchr(file, '/') + 1;
    char label_file[64], label[32] = "";
    snprintf(label_file, sizeof label_file, "%.*s_label", (int)strcspn(name, "_"), name);
    plb_meter_line(folder, label_file, label, sizeof label);
    if (of == PLB_METER_PACKAGE && strncmp(label, "Esocket", 7) != 0)
        return false;
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    *domain = (struct plb_meter_domain){.of = of,
                                        .joules = counter ? 1e-6 : 0.0,
                                        .refresh = REFRESH,
                                        .watts = !counter,
                                        .at = {counter ? fd : -1, counter ? -1 : fd}};
    read_address(folder, domain->pci);
    if (of == PLB_METER_PACKAGE)
        snprintf(domain->name, sizeof domain->name, "package-%d", atoi(label + 7));
    else if (of == PLB_METER_GPU)
        snprintf(domain->name, sizeof domain->name, "gpu %s", domain->pci);
    else
        snprintf(domain->name, sizeof domain->name, "host");
    return true;
}

/* The sensors of one chip that a pattern names. */
static int take_all(const char *folder, size_t chip, struct plb_meter_domain *domains, int room)
{
    bool counter = chips[chip].counter != NULL;
    char pattern[1024];
    glob_t files;
    int n = 0;
    snprintf(pattern, sizeof pattern, "%s/%s", folder, counter ? chips[chip].counter : chips[chip].power);
    if (glob(pattern, 0, NULL, &files) != 0)
        return 0;
    /* A GPU has one sensor of the whole card, the first; later ones are parts of it. */
    int most = chips[chip].of == PLB_METER_PACKAGE || room < 1 ? room : 1;
    for (size_t f = 0; f < files.gl_pathc && n < most; f++)
        n += take(folder, files.gl_pathv[f], counter, chips[chip].of, &domains[n]);
    globfree(&files);
    return n;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the type of all meters */
static int find(const char *root, struct plb_meter_domain *domains, int room, char why[PLB_METER_WHY])
{
    (void)why; /* everybody may read them */
    char pattern[1024], name[32];
    glob_t folders;
    int n = 0;
    snprintf(pattern, sizeof pattern, "%s/sys/class/hwmon/hwmon*", root);
    if (glob(pattern, 0, NULL, &folders) != 0)
        return 0;
    for (size_t f = 0; f < folders.gl_pathc; f++)
        for (size_t c = 0; c < sizeof chips / sizeof *chips; c++)
            if (plb_meter_line(folders.gl_pathv[f], "name", name, sizeof name)
                && strcmp(name, chips[c].chip) == 0)
                n += take_all(folders.gl_pathv[f], c, domains + n, room - n);
    globfree(&folders);
    return n;
}

static bool read_domain(const struct plb_meter_domain *domain, uint64_t *count, double *watts)
{
    uint64_t microwatts;
    if (domain->at[0] >= 0)
        return plb_meter_number(domain->at[0], count);
    if (!plb_meter_number(domain->at[1], &microwatts))
        return false;
    *watts = 1e-6 * (double)microwatts;
    return true;
}

static void close_domain(struct plb_meter_domain *domain)
{
    close(domain->at[domain->at[0] >= 0 ? 0 : 1]);
}

const struct plb_meter_driver plb_meter_hwmon = {
    .name = "hwmon", .find = find, .read = read_domain, .close = close_domain};
