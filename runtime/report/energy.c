#include "report/energy.h"

#include <math.h>
#include <string.h>

#include "report/quantity.h"

static bool is(const struct plb_report_meter *m, const char *of)
{
    return m->of != NULL && strcmp(m->of, of) == 0;
}

/* " (perf, 61 uJ)": the meters that these joules come from, and the coarsest resolution of a counter. */
static void say_meters(const struct plb_report *r, const char *of, FILE *out)
{
    double resolution = 0.0;
    char text[PLB_QUANTITY_TEXT];
    const char *separator = " (";
    for (int i = 0; i < r->n_meters; i++) {
        const struct plb_report_meter *m = &r->meters[i];
        bool again = false;
        if (!m->counted || !is(m, of))
            continue;
        for (int k = 0; k < i; k++)
            again = again
                 || (r->meters[k].counted && is(&r->meters[k], of)
                     && strcmp(r->meters[k].meter, m->meter) == 0);
        resolution = fmax(resolution, m->resolution_j);
        if (!again)
            fprintf(out, "%s%s", separator, m->meter);
        separator = again ? separator : ", ";
    }
    if (resolution > 0.0)
        fprintf(out, "%s%s", separator, plb_joules_print(resolution, text));
    fputc(')', out);
}

/* ", packages 12 J (perf, 61 uJ)" where there are some. */
static void say_kind(const struct plb_report *r, const char *of, const char *name, const char **separator,
                     FILE *out)
{
    double joules = 0.0;
    char text[PLB_QUANTITY_TEXT];
    for (int i = 0; i < r->n_meters; i++)
        if (r->meters[i].counted && is(&r->meters[i], of))
            joules += r->meters[i].joules;
    if (joules > 0.0) {
        fprintf(out, "%s%s %s", *separator, name, plb_joules_print(joules, text));
        say_meters(r, of, out);
        *separator = ", ";
    }
}

/* Hosts with something that is not measured; *first is the first such meter. */
static int count_missing(const struct plb_report *r, const struct plb_report_meter **first)
{
    int hosts = 0;
    for (int i = 0; i < r->n_meters; i++) {
        bool again = false;
        for (int k = 0; k < i; k++)
            again |= strcmp(r->meters[k].host, r->meters[i].host) == 0 && plb_report_misses(r, &r->meters[k]);
        if (plb_report_misses(r, &r->meters[i]) && !again) {
            *first = hosts == 0 ? &r->meters[i] : *first;
            hosts++;
        }
    }
    return hosts;
}

/* By the watts of a simulated cluster. Nothing where no PU has some. */
static void say_watts(const struct plb_report *r, FILE *out)
{
    char text[PLB_QUANTITY_TEXT], all[PLB_QUANTITY_TEXT];
    double joules = 0.0;
    int unmeasured = 0;
    for (int p = 0; p < r->n_pus; p++) {
        unmeasured += isnan(r->pus[p].static_j + r->pus[p].dynamic_j);
        joules += r->pus[p].static_j;
    }
    if (unmeasured == r->n_pus)
        return;
    if (unmeasured > 0) {
        fprintf(out, "energy unmeasured: %d of %d PUs have no watts in the .cluster file\n", unmeasured,
                r->n_pus);
        return;
    }
    fprintf(out, "energy %s, of which %s static, by the watts of the .cluster file\n",
            plb_joules_print(r->energy_j, all), plb_joules_print(joules, text));
}

void plb_energy_say(const struct plb_report *r, FILE *out)
{
    const struct plb_report_meter *missing = NULL;
    const char *separator = ": ";
    char text[PLB_QUANTITY_TEXT];
    if (r->mode == PLB_SIMULATED || r->emulated)
        say_watts(r, out);
    if (!isfinite(r->measured_j))
        return;
    int hosts = count_missing(r, &missing);
    fprintf(out, "energy %s%s", hosts > 0 ? "at least " : "", plb_joules_print(r->measured_j, text));
    say_kind(r, "package", "packages", &separator, out);
    say_kind(r, "memory", "memory", &separator, out);
    say_kind(r, "gpu", "GPUs", &separator, out);
    say_kind(r, "platform", "hosts as a whole", &separator, out);
    if (hosts > 0)
        fprintf(out, "; incomplete on %d host%s, such as %s: %s", hosts, hosts == 1 ? "" : "s", missing->host,
                missing->note);
    fputc('\n', out);
    for (int i = 0; i < r->n_meters; i++)
        if (r->meters[i].counted && r->meters[i].note[0] != '\0')
            fprintf(out, "energy of %s on %s by %s: %s\n", r->meters[i].domain, r->meters[i].host,
                    r->meters[i].meter, r->meters[i].note);
}
