/* A stand-in for NVIDIA's management library, with two GPUs. A test sets what they show. */
#include <stdio.h>
#include <string.h>

/* What GPU g shows, in millijoules and milliwatts; instant 0: it tells an average alone. counts 0: no
 * counter. */
void fake_nvml_set(int g, unsigned long long energy, unsigned average, unsigned instant, int counts);
void fake_nvml_refuse(int status); /* what nvmlInit returns; 0: it works */
int fake_nvml_users(void);         /* calls of nvmlInit without a nvmlShutdown */

#define NOT_SUPPORTED 3
#define NOT_FOUND 6

static struct {
    unsigned long long energy;
    unsigned average, instant;
    int counts;
} gpus[2];
static int refuses, users;

void fake_nvml_set(int g, unsigned long long energy, unsigned average, unsigned instant, int counts)
{
    gpus[g].energy = energy;
    gpus[g].average = average;
    gpus[g].instant = instant;
    gpus[g].counts = counts;
}

void fake_nvml_refuse(int status)
{
    refuses = status;
}

int fake_nvml_users(void)
{
    return users;
}

struct pci {
    char short_id[16];
    unsigned numbers[5];
    char id[32];
};

struct field {
    unsigned field, scope;
    long long timestamp, latency;
    unsigned type;
    int status;
    union {
        double d;
        unsigned ui;
        unsigned long long ull;
    } value;
};

int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetCount_v2(unsigned *count);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci);
int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy);
int nvmlDeviceGetPowerUsage(void *device, unsigned *power);
int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields);

int nvmlInit_v2(void)
{
    users += refuses == 0;
    return refuses;
}

int nvmlShutdown(void)
{
    users--;
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    *count = 2;
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device)
{
    *device = index < 2 ? &gpus[index] : NULL;
    return index < 2 ? 0 : NOT_FOUND;
}

static int number(const void *device)
{
    return device == &gpus[1];
}

int nvmlDeviceGetPciInfo_v3(void *device, struct pci *pci)
{
    memset(pci, 0, sizeof *pci);
    snprintf(pci->id, sizeof pci->id, "00000000:%02X:00.0", 0x18 + number(device));
    return 0;
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *energy)
{
    *energy = gpus[number(device)].energy;
    return gpus[number(device)].counts ? 0 : NOT_SUPPORTED;
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *power)
{
    *power = gpus[number(device)].average;
    return 0;
}

int nvmlDeviceGetFieldValues(void *device, int n, struct field *fields)
{
    for (int i = 0; i < n; i++) {
        int known = fields[i].field == 186 && gpus[number(device)].instant != 0;
        fields[i].status = known ? 0 : NOT_SUPPORTED;
        fields[i].value.ui = gpus[number(device)].instant;
    }
    return 0;
}
