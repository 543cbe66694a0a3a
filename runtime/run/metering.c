#include "run/metering.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "meter/sampler.h"
#include "rank0/rank0.h"
#include "run/windows.h"

#define MOST_GPUS 64 /* of one rank; further ones are not measured */

struct plb_metering {
    struct plb_sampler *sampler;
    struct plb_windows *windows; /* NULL: none are told */
    bool traced;
    char why[PLB_METER_WHY], gpus_why[PLB_METER_WHY];
};

void plb_metering_start(struct plb_rank *r, const struct plb_node_pu *pus, int n_pus, bool windows,
                        bool traced)
{
    struct plb_metering *metering = plb_alloc(sizeof *metering);
    struct plb_meters meters;
    char gpus[MOST_GPUS][16];
    int n_gpus = 0;
    for (int p = 0; p < n_pus && n_gpus < MOST_GPUS; p++)
        if (pus[p].device.pci[0] != '\0')
            memcpy(gpus[n_gpus++], pus[p].device.pci, sizeof gpus[0]);
    int local_rank, ranks;
    plb_mpi_local(r->mpi, &local_rank, &ranks);
    plb_meters_open(&meters, "", local_rank == 0, (const char(*)[16])gpus, n_gpus);
    memcpy(metering->why, meters.why, sizeof metering->why);
    memcpy(metering->gpus_why, meters.gpus_why, sizeof metering->gpus_why);
    if (meters.why[0] != '\0')
        plb_log_here(PLB_LOG_INFO, "the energy of processors is not measured: %s", meters.why);
    if (meters.gpus_why[0] != '\0')
        plb_log_here(PLB_LOG_INFO, "%s", meters.gpus_why);
    metering->sampler = plb_sampler_start(&meters);
    metering->traced = traced;
    if (windows)
        metering->windows = plb_windows_new(metering->sampler, pus, n_pus);
    r->metering = metering;
}

int plb_metering_of(const struct plb_rank *r, int pu)
{
    return r->metering != NULL ? plb_windows_meter(r->metering->windows, pu) : 0;
}

void plb_metering_step(struct plb_rank *r)
{
    if (r->metering != NULL && r->metering->windows != NULL)
        plb_windows_step(r->metering->windows, r, plb_rank_time(r));
}

double plb_metering_due(const struct plb_rank *r)
{
    return r->metering != NULL ? plb_windows_due(r->metering->windows, plb_rank_time(r)) : INFINITY;
}

/* ------------------------------------------------------------ the end */

static void say(struct plb_rank *r, const struct plb_meter_sum *sum, int number)
{
    struct plb_joules joules = {.of = (int32_t)sum->of,
                                .number = number,
                                .state = (int32_t)sum->state,
                                .mirrors = sum->mirrors,
                                .resolution = sum->resolution,
                                .joules = sum->joules,
                                .seconds = sum->seconds,
                                .integral = sum->integral};
    memcpy(joules.domain, sum->name, sizeof joules.domain);
    memcpy(joules.meter, sum->meter, sizeof joules.meter);
    plb_outbox_add(&r->out, PLB_JOULES, r->rank, 0, r->pass)->joules = joules;
}

/* The windows of a domain whose joules are believed: of its counter, or of the power. */
static void trace(struct plb_rank *r, const struct plb_meter_sum *sum, int number,
                  const struct plb_meter_series *series)
{
    bool stands = sum->state == PLB_METER_STANDS, power = stands || !(sum->resolution > 0.0);
    if (sum->state == PLB_METER_NO_TIME || (stands && !(sum->integral > 0.0)))
        return;
    for (int i = 1; i < series->n; i++) {
        const struct plb_meter_point *from = &series->points[i - 1], *to = &series->points[i];
        double before = power ? from->integral : from->counted, after = power ? to->integral : to->counted;
        struct plb_trace_event window = {.type = PLB_TRACE_JOULES,
                                         .node = r->rank,
                                         .pu = PLB_TRACE_MASTER,
                                         .start = from->at + r->clock,
                                         .seconds = to->at - from->at,
                                         .first = number,
                                         .count = llround(1e6 * after) - llround(1e6 * before)};
        plb_trace_append(&r->trace, &window, 1);
    }
}

/* Why a kind of domain is not measured here. */
static void say_none(struct plb_rank *r, enum plb_meter_of of, const char *why)
{
    struct plb_joules joules = {.of = (int32_t)of};
    if (why[0] == '\0')
        return;
    snprintf(joules.why, sizeof joules.why, "%.199s", why);
    plb_outbox_add(&r->out, PLB_JOULES, r->rank, 0, r->pass)->joules = joules;
}

void plb_metering_end(struct plb_rank *r)
{
    struct plb_metering *metering = r->metering;
    struct plb_meter_sum sums[PLB_METER_DOMAINS];
    if (metering == NULL)
        return;
    plb_sampler_stop(metering->sampler);
    int n = plb_sampler_sums(metering->sampler, sums);
    for (int i = 0; i < n; i++)
        say(r, &sums[i], i);
    if (metering->traced)
        for (int i = 0; i < n; i++)
            trace(r, &sums[i], i, plb_sampler_series(metering->sampler, i));
    say_none(r, PLB_METER_PACKAGE, metering->why);
    say_none(r, PLB_METER_GPU, metering->gpus_why);
    plb_windows_free(metering->windows);
    plb_sampler_free(metering->sampler);
    free(metering);
    r->metering = NULL;
}

/* ------------------------------------------------------------ rank 0 */

/* Whether another rank of this host has told of the same domain: two ranks may share a GPU. The longer
 * measurement is kept. */
static struct plb_report_meter *meter_of(struct plb_rank0 *rank0, const char *host,
                                         const struct plb_joules *j)
{
    for (int i = 0; i < rank0->n_meters; i++) {
        struct plb_report_meter *known = &rank0->meters[i];
        if (strcmp(known->host, host) == 0 && strcmp(known->domain, j->domain) == 0
            && strcmp(known->meter, j->meter) == 0 && j->domain[0] != '\0')
            return j->seconds > known->seconds ? known : NULL;
    }
    rank0->meters = plb_grow(rank0->meters, (size_t)(rank0->n_meters + 1) * sizeof *rank0->meters);
    return &rank0->meters[rank0->n_meters++];
}

/* How far the joules are to be believed. */
static void note(const struct plb_joules *j, char *text, size_t size)
{
    double apart = j->joules > 0.0 ? 100.0 * (j->integral / j->joules - 1.0) : 0.0;
    switch ((enum plb_meter_state)j->state) {
    case PLB_METER_NO_TIME: snprintf(text, size, "there was no time to measure"); break;
    case PLB_METER_STANDS:
        snprintf(text, size, "the counter does not advance%s",
                 j->integral > 0.0 ? "; the power is integrated" : "");
        break;
    case PLB_METER_GAPS: snprintf(text, size, "not read for a while, so these joules are too low"); break;
    case PLB_METER_DISAGREES:
        snprintf(text, size, "the integral of the power is %.0f %% %s", fabs(apart),
                 apart > 0.0 ? "more" : "less");
        break;
    default: snprintf(text, size, "%s", j->mirrors ? "shows the counter of another domain" : ""); break;
    }
}

void plb_metering_hear(struct plb_rank *r, const struct plb_message *m)
{
    const struct plb_joules *j = &m->joules;
    struct plb_report_meter *meter = meter_of(r->rank0, r->hosts[m->from], j);
    if (meter == NULL)
        return;
    bool stands = j->state == PLB_METER_STANDS && j->integral <= 0.0;
    bool measured = j->domain[0] != '\0' && j->state != PLB_METER_NO_TIME && !stands;
    *meter = (struct plb_report_meter){.node = m->from,
                                       .number = j->number,
                                       .of = plb_meter_of_name(j->of),
                                       .resolution_j = j->resolution > 0.0 ? j->resolution : NAN,
                                       .joules = measured ? j->joules : NAN,
                                       .seconds = j->seconds,
                                       .mirrors = j->mirrors != 0};
    snprintf(meter->host, sizeof meter->host, "%s", r->hosts[m->from]);
    memcpy(meter->domain, j->domain, sizeof meter->domain);
    memcpy(meter->meter, j->meter, sizeof meter->meter);
    if (j->domain[0] == '\0')
        memcpy(meter->note, j->why, sizeof j->why);
    else
        note(j, meter->note, sizeof meter->note);
}
