#include "meter/sampler.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"

/* Seconds between two readings. Longer: power that changes is integrated less well. Shorter: it costs more,
 * and counters are refreshed after 20 to 100 ms. */
#define PERIOD 0.1

/* Part of a core that reading may use. */
#define MOST_COST 0.002

struct plb_sampler {
    pthread_mutex_t lock, reading; /* reading: by one thread at a time; taken first */
    pthread_cond_t wake;
    pthread_t thread;
    bool started, stop;
    struct plb_meters meters;
    struct plb_meter_account at[PLB_METER_DOMAINS];
    struct plb_meter_series *series; /* by domain */
    double cost;                     /* seconds of CPU time, in all */
};

/* Reads all domains. Without the lock: a read may take milliseconds, and one thread at a time reads. */
static void read_all(struct plb_sampler *s)
{
    pthread_mutex_lock(&s->reading);
    double begin = plb_thread_seconds();
    for (int d = 0; d < s->meters.n; d++) {
        const struct plb_meter_domain *domain = &s->meters.at[d];
        uint64_t count = 0;
        double watts = 0.0;
        if (!domain->driver->read(domain, &count, &watts))
            continue;
        double now = plb_now();
        pthread_mutex_lock(&s->lock);
        plb_meter_account_add(&s->at[d], domain, now, count, watts);
        struct plb_meter_point point = {now, s->at[d].joules, s->at[d].integral};
        plb_meter_series_add(&s->series[d], &point, domain->refresh);
        pthread_mutex_unlock(&s->lock);
    }
    pthread_mutex_lock(&s->lock);
    s->cost += plb_thread_seconds() - begin;
    pthread_mutex_unlock(&s->lock);
    pthread_mutex_unlock(&s->reading);
}

void plb_sampler_read(struct plb_sampler *s)
{
    read_all(s);
}

static void *sample(void *argument)
{
    struct plb_sampler *s = argument;
    pthread_mutex_lock(&s->lock);
    while (!s->stop) {
        double before = s->cost, now = plb_now();
        pthread_mutex_unlock(&s->lock);
        read_all(s);
        pthread_mutex_lock(&s->lock);
        double next = now + fmax(PERIOD, (s->cost - before) / MOST_COST);
        while (!s->stop && plb_now() < next)
            plb_condition_wait_until(&s->wake, &s->lock, next);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

struct plb_sampler *plb_sampler_start(const struct plb_meters *meters)
{
    struct plb_sampler *s = plb_alloc(sizeof *s);
    s->meters = *meters;
    s->series = plb_alloc((size_t)meters->n * sizeof *s->series);
    pthread_mutex_init(&s->lock, NULL);
    pthread_mutex_init(&s->reading, NULL);
    plb_condition_init(&s->wake);
    read_all(s);
    s->started = meters->n > 0 && pthread_create(&s->thread, NULL, sample, s) == 0;
    return s;
}

/* Whether a domain before it shows the same counter. Under the lock. */
static bool mirrors(const struct plb_sampler *s, int d)
{
    for (int i = 0; i < d; i++)
        if (s->meters.at[i].driver == s->meters.at[d].driver && s->meters.at[i].of == s->meters.at[d].of
            && s->meters.at[d].joules > 0.0 && plb_meter_mirrors(&s->at[i], &s->at[d], &s->meters.at[d]))
            return true;
    return false;
}

int plb_sampler_sums(struct plb_sampler *s, struct plb_meter_sum *sums)
{
    pthread_mutex_lock(&s->lock);
    for (int d = 0; d < s->meters.n; d++) {
        const struct plb_meter_domain *domain = &s->meters.at[d];
        const struct plb_meter_account *account = &s->at[d];
        sums[d] = (struct plb_meter_sum){.of = domain->of,
                                         .state = plb_meter_account_state(account, domain),
                                         .mirrors = mirrors(s, d),
                                         .resolution = domain->joules,
                                         .joules = plb_meter_account_joules(account, domain),
                                         .integral = account->integral,
                                         .seconds = account->at - account->since};
        sums[d].refresh = domain->refresh;
        memcpy(sums[d].pci, domain->pci, sizeof sums[d].pci);
        snprintf(sums[d].name, sizeof sums[d].name, "%s", domain->name);
        snprintf(sums[d].meter, sizeof sums[d].meter, "%s", domain->driver->name);
    }
    int n = s->meters.n;
    pthread_mutex_unlock(&s->lock);
    return n;
}

double plb_sampler_cost(struct plb_sampler *s)
{
    pthread_mutex_lock(&s->lock);
    double cost = s->cost;
    pthread_mutex_unlock(&s->lock);
    return cost;
}

void plb_sampler_stop(struct plb_sampler *s)
{
    pthread_mutex_lock(&s->lock);
    s->stop = true;
    pthread_cond_signal(&s->wake);
    pthread_mutex_unlock(&s->lock);
    if (s->started)
        pthread_join(s->thread, NULL);
    s->started = false;
    read_all(s);
    for (int d = 0; d < s->meters.n; d++)
        plb_meter_series_end(&s->series[d]);
}

const struct plb_meter_series *plb_sampler_series(const struct plb_sampler *s, int d)
{
    return &s->series[d];
}

void plb_sampler_free(struct plb_sampler *s)
{
    if (s == NULL)
        return;
    plb_meters_close(&s->meters);
    pthread_mutex_destroy(&s->lock);
    pthread_mutex_destroy(&s->reading);
    pthread_cond_destroy(&s->wake);
    free(s->series);
    free(s);
}
