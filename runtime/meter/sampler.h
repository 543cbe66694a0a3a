/* A thread that reads the meters of a host now and then. It uses no more than a five-hundredth of a core:
 * where reading is slow, it reads less often. */
#ifndef PLB_METER_SAMPLER_H
#define PLB_METER_SAMPLER_H

#include "meter/account.h"
#include "meter/series.h"

struct plb_sampler;

/* One domain, so far. */
struct plb_meter_sum {
    char name[32], meter[12];
    enum plb_meter_of of;
    enum plb_meter_state state;
    int32_t mirrors;   /* 1: it shows the counter of a domain before it */
    double resolution; /* joules of one count; 0: there are readings of the power alone */
    double joules;     /* since the start */
    double integral;   /* of the power, in joules; 0: it tells no power */
    double seconds;    /* since the start, until the last reading */
    double refresh;    /* of the domain */
    char pci[16];      /* of a GPU */
};

/* Reads all domains, and starts the thread. Takes the meters over. Where no thread can be started, domains
 * are read at the start and at the end. */
struct plb_sampler *plb_sampler_start(const struct plb_meters *meters);

/* Writes up to PLB_METER_DOMAINS sums as of the last reading, and returns how many. Thread-safe. */
int plb_sampler_sums(struct plb_sampler *sampler, struct plb_meter_sum *sums);

/* The joules of a domain over time, until plb_sampler_stop, after which this is to be called. Borrowed. */
const struct plb_meter_series *plb_sampler_series(const struct plb_sampler *sampler, int domain);

/* Reads all domains now. Thread-safe; it may wait for a reading that goes on. */
void plb_sampler_read(struct plb_sampler *sampler);

/* Seconds of CPU time that reading has cost so far. Thread-safe. */
double plb_sampler_cost(struct plb_sampler *sampler);

/* Ends the thread, and reads all domains once more. The sums may still be asked for. */
void plb_sampler_stop(struct plb_sampler *sampler);

/* After plb_sampler_stop; NULL: nothing. */
void plb_sampler_free(struct plb_sampler *sampler);

#endif
