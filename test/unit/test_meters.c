/* Which meters of a host are found, in a folder that looks like /sys, and through a stand-in of NVIDIA's
 * library. */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define assert_near(a, b, within) assert_true(fabs((a) - (b)) <= (within))

#include "meter/meter.h"
#include "root.h"
#include "skip.h"

/* Takes the place of the system's: perf's events are files here, with what `perf_counts` says. */
long syscall(long number, ...);
static uint64_t perf_count;
static int perf_error;
static int perf_cpus[8], perf_opened;

long syscall(long number, ...)
{
    va_list arguments;
    va_start(arguments, number);
    va_arg(arguments, void *);
    va_arg(arguments, int);
    int cpu = va_arg(arguments, int);
    va_end(arguments);
    if (number != SYS_perf_event_open || perf_error != 0) {
        errno = number != SYS_perf_event_open ? ENOSYS : perf_error;
        return -1;
    }
    perf_cpus[perf_opened++ % 8] = cpu;
    int fd = memfd_create("event", MFD_CLOEXEC);
    for (int i = 0; i < 4; i++) {
        uint64_t count = perf_count + (uint64_t)i;
        assert_int_equal(write(fd, &count, sizeof count), sizeof count);
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* Makes root/path with these words in it. */
static void put(const char *root, const char *path, const char *words)
{
    char full[512], command[600];
    snprintf(full, sizeof full, "%s/%s", root, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", full);
    assert_int_equal(system(command), 0);
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fprintf(file, "%s\n", words);
    assert_int_equal(fclose(file), 0);
}

static void put_zone(const char *root, const char *zone, const char *name, const char *energy)
{
    char path[300];
    snprintf(path, sizeof path, "sys/class/powercap/%s/name", zone);
    put(root, path, name);
    snprintf(path, sizeof path, "sys/class/powercap/%s/max_energy_range_uj", zone);
    put(root, path, "262143328850");
    snprintf(path, sizeof path, "sys/class/powercap/%s/energy_uj", zone);
    put(root, path, energy);
}

/* Two packages as powercap shows them; the second in its memory-mapped registers, too. */
static void put_powercap(const char *root)
{
    put_zone(root, "intel-rapl:0", "package-0", "1000000");
    put_zone(root, "intel-rapl:0:0", "core", "500");
    put_zone(root, "intel-rapl:0:1", "dram", "700");
    put_zone(root, "intel-rapl:0:2", "uncore", "9");
    put_zone(root, "intel-rapl:1", "package-1", "2000000");
    put_zone(root, "intel-rapl:2", "psys", "3000000");
    put_zone(root, "intel-rapl-mmio:0", "package-0", "1000000");
}

static void put_perf(const char *root)
{
    put(root, "sys/bus/event_source/devices/power/type", "21");
    put(root, "sys/bus/event_source/devices/power/cpumask", "0,24");
    put(root, "sys/bus/event_source/devices/power/events/energy-pkg", "event=0x02");
    put(root, "sys/bus/event_source/devices/power/events/energy-pkg.scale", "2.3283064365386962890625e-10");
    put(root, "sys/devices/system/cpu/cpu0/topology/physical_package_id", "0");
    put(root, "sys/devices/system/cpu/cpu24/topology/physical_package_id", "1");
}

static void put_hwmon(const char *root)
{
    put(root, "sys/class/hwmon/hwmon0/name", "coretemp");
    put(root, "sys/class/hwmon/hwmon0/power1_average", "1");
    put(root, "sys/class/hwmon/hwmon1/name", "amd_energy");
    put(root, "sys/class/hwmon/hwmon1/energy1_label", "Ecore000");
    put(root, "sys/class/hwmon/hwmon1/energy1_input", "5");
    put(root, "sys/class/hwmon/hwmon1/energy2_label", "Esocket1");
    put(root, "sys/class/hwmon/hwmon1/energy2_input", "4000000");
    put(root, "sys/class/hwmon/hwmon2/name", "power_meter");
    put(root, "sys/class/hwmon/hwmon2/power1_average", "250000000");
}

static const struct plb_meter_domain *named(const struct plb_meters *meters, const char *name)
{
    const struct plb_meter_domain *found = NULL;
    for (int i = 0; i < meters->n; i++)
        if (strcmp(meters->at[i].name, name) == 0) {
            assert_null(found); /* each once */
            found = &meters->at[i];
        }
    return found;
}

static uint64_t count_of(const struct plb_meters *meters, const char *name)
{
    uint64_t count = 0;
    double watts = -1.0;
    const struct plb_meter_domain *domain = named(meters, name);
    assert_non_null(domain);
    assert_true(domain->driver->read(domain, &count, &watts));
    return count;
}

static void a_host_without_counters_says_so(void **state)
{
    struct plb_meters meters;
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(meters.n, 0);
    assert_string_equal(meters.why, "this host has no readable counter of processor energy");
    assert_string_equal(meters.gpus_why, "");
    plb_meters_close(&meters);
}

static void powercap_has_packages_memory_and_platform(void **state)
{
    struct plb_meters meters;
    put_powercap(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(meters.n, 5);
    assert_string_equal(meters.why, "");
    assert_int_equal(count_of(&meters, "package-0"), 1000000);
    assert_int_equal(count_of(&meters, "package-1"), 2000000);
    assert_int_equal(count_of(&meters, "core-0"), 500);
    assert_int_equal(count_of(&meters, "dram-0"), 700);
    assert_int_equal(named(&meters, "dram-0")->of, PLB_METER_MEMORY);
    assert_int_equal(named(&meters, "core-0")->of, PLB_METER_CORES);
    assert_int_equal(named(&meters, "psys")->of, PLB_METER_PLATFORM);
    assert_near(named(&meters, "package-1")->joules, 1e-6, 0.0);
    assert_near(named(&meters, "package-1")->range, 262143328851.0, 0.0);
    put_zone(*state, "intel-rapl:1", "package-1", "2000123"); /* the file is read anew */
    assert_int_equal(count_of(&meters, "package-1"), 2000123);
    plb_meters_close(&meters);
}

static void a_counter_for_root_alone_is_named(void **state)
{
    struct plb_meters meters;
    char path[300];
    put_powercap(*state);
    for (int zone = 0; zone < 3; zone++) {
        snprintf(path, sizeof path, "%s/sys/class/powercap/intel-rapl:%d/energy_uj", (char *)*state, zone);
        assert_int_equal(chmod(path, 0400), 0);
    }
    assert_int_equal(chmod(*state, 0755), 0);
    if (geteuid() != 0 || seteuid(65534) != 0)
        skip_since("only root can become nobody");
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(seteuid(0), 0);
    assert_null(named(&meters, "package-0"));
    assert_non_null(strstr(meters.why, "only root may read"));
    assert_non_null(strstr(meters.why, "perf_event_paranoid"));
    plb_meters_close(&meters);
}

static void perf_is_opened_on_one_cpu_of_each_package(void **state)
{
    struct plb_meters meters;
    perf_count = 77;
    perf_opened = 0;
    put_perf(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(meters.n, 2);
    assert_int_equal(perf_cpus[0], 0);
    assert_int_equal(perf_cpus[1], 24);
    assert_near(named(&meters, "package-1")->joules, 2.3283064365386962890625e-10, 1e-25);
    assert_int_equal(count_of(&meters, "package-0"), 77);
    assert_int_equal(count_of(&meters, "package-0"), 78);
    plb_meters_close(&meters);
}

/* perf has the packages; powercap adds what perf has not, and hwmon the host. */
static void a_package_is_read_through_one_meter(void **state)
{
    struct plb_meters meters;
    put_perf(*state);
    put_powercap(*state);
    put_hwmon(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_string_equal(named(&meters, "package-0")->driver->name, "perf");
    assert_string_equal(named(&meters, "package-1")->driver->name, "perf");
    assert_string_equal(named(&meters, "dram-0")->driver->name, "powercap");
    assert_null(named(&meters, "host")); /* psys has the platform */
    plb_meters_close(&meters);
}

static void where_perf_is_refused_the_others_are_read(void **state)
{
    struct plb_meters meters;
    perf_error = EACCES;
    put_perf(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(meters.n, 0);
    assert_non_null(strstr(meters.why, "/proc/sys/kernel/perf_event_paranoid forbids users"));
    plb_meters_close(&meters);
    put_hwmon(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    perf_error = 0;
    assert_int_equal(meters.n, 2);
    assert_string_equal(meters.why, "");
    assert_int_equal(count_of(&meters, "package-1"), 4000000);
    plb_meters_close(&meters);
}

static void a_power_meter_tells_watts(void **state)
{
    struct plb_meters meters;
    uint64_t count = 5;
    double watts = 0.0;
    put_hwmon(*state);
    plb_meters_open(&meters, *state, true, NULL, 0);
    const struct plb_meter_domain *host = named(&meters, "host");
    assert_non_null(host);
    assert_true(host->watts);
    assert_near(host->joules, 0.0, 0.0);
    assert_true(host->driver->read(host, &count, &watts));
    assert_near(watts, 250.0, 1e-9);
    plb_meters_close(&meters);
}

/* ------------------------------------------------------------ NVIDIA's library */

static void (*set)(int, unsigned long long, unsigned, unsigned, int);
static void (*refuse)(int);
static int (*users)(void);

static void *nvml_function(void *library, const char *name)
{
    void *address = dlsym(library, name);
    assert_non_null(address);
    return address;
}

/* The library that is loaded already is the one that a later dlopen of its name finds. */
static int load_nvml(void **state)
{
    char path[500];
    snprintf(path, sizeof path, "%s/test/support/nvml.so",
             getenv("BUILD") == NULL ? "build" : getenv("BUILD"));
    void *library = dlopen(path, RTLD_NOW);
    if (library == NULL)
        return -1;
    *(void **)&set = nvml_function(library, "fake_nvml_set");
    *(void **)&refuse = nvml_function(library, "fake_nvml_refuse");
    *(void **)&users = nvml_function(library, "fake_nvml_users");
    return make_root(state);
}

static void gpus_of_the_job_are_measured(void **state)
{
    struct plb_meters meters;
    static const char gpus[1][16] = {"0000:19:00.0"};
    uint64_t count;
    double watts;
    set(0, 1, 1, 1, 1);
    set(1, 123456, 250000, 300000, 1);
    plb_meters_open(&meters, *state, true, gpus, 1);
    assert_int_equal(meters.n, 1);
    assert_int_equal(users(), 1);
    const struct plb_meter_domain *gpu = named(&meters, "gpu 0000:19:00.0");
    assert_non_null(gpu);
    assert_near(gpu->joules, 1e-3, 0.0);
    assert_true(gpu->driver->read(gpu, &count, &watts));
    assert_int_equal(count, 123456);
    assert_near(watts, 300.0, 1e-9);
    set(1, 123456, 250000, 0, 1); /* it tells an average alone */
    assert_true(gpu->driver->read(gpu, &count, &watts));
    assert_near(watts, 250.0, 1e-9);
    plb_meters_close(&meters);
    assert_int_equal(users(), 0);
}

static void an_old_gpu_has_power_alone(void **state)
{
    struct plb_meters meters;
    static const char gpus[1][16] = {"0000:18:00.0"};
    set(0, 0, 50000, 0, 0);
    plb_meters_open(&meters, *state, true, gpus, 1);
    assert_int_equal(meters.n, 1);
    assert_near(meters.at[0].joules, 0.0, 0.0);
    assert_true(meters.at[0].watts);
    plb_meters_close(&meters);
}

static void a_library_that_does_not_start_is_named(void **state)
{
    struct plb_meters meters;
    static const char gpus[1][16] = {"0000:18:00.0"};
    refuse(9);
    plb_meters_open(&meters, *state, true, gpus, 1);
    refuse(0);
    assert_int_equal(meters.n, 0);
    assert_string_equal(meters.gpus_why, "GPUs are not measured: nvmlInit returns 9");
    assert_int_equal(users(), 0);
    plb_meters_close(&meters);
    plb_meters_open(&meters, *state, true, gpus, 1); /* and a later start works */
    assert_int_equal(meters.n, 1);
    plb_meters_close(&meters);
}

static void a_job_without_gpus_loads_nothing(void **state)
{
    struct plb_meters meters;
    plb_meters_open(&meters, *state, true, NULL, 0);
    assert_int_equal(meters.n, 0);
    assert_int_equal(users(), 0);
    plb_meters_close(&meters);
}

#define WITH_NVML(name) cmocka_unit_test_setup_teardown(name, load_nvml, remove_root)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_ROOT(a_host_without_counters_says_so),
        TEST_IN_ROOT(powercap_has_packages_memory_and_platform),
        TEST_IN_ROOT(a_counter_for_root_alone_is_named),
        TEST_IN_ROOT(perf_is_opened_on_one_cpu_of_each_package),
        TEST_IN_ROOT(a_package_is_read_through_one_meter),
        TEST_IN_ROOT(where_perf_is_refused_the_others_are_read),
        TEST_IN_ROOT(a_power_meter_tells_watts),
        WITH_NVML(gpus_of_the_job_are_measured),
        WITH_NVML(an_old_gpu_has_power_alone),
        WITH_NVML(a_library_that_does_not_start_is_named),
        WITH_NVML(a_job_without_gpus_loads_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
