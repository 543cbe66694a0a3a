/* Training without barriers: sums that are kept as reports come, and block sizes from them. Weak where
 * given powers are wrong by more than POWER_ERROR: a first block then lasts long. */
#include "model/training.h"

#include <math.h>
#include <stdlib.h>

#include "model/estimate.h"

/* Parts of a fair share in the first block, where the user gives no size. More: starts waste time.
 * Fewer: a slow PU gets more at once than the run should wait for. */
#define FIRST_PARTS 1000.0

/* Until every PU has reported, no block lasts longer than this multiple of the elapsed time.
 * Larger: a PU that is quick with a tiny block only gets far ahead. Smaller: training has more
 * blocks. */
#define OF_ELAPSED 4.0

/* Seconds: after a longer first report a PU gets no block ahead, since starting may cost much.
 * Larger: a start is wasted where starts are long. Smaller: the PU waits for a round trip in
 * training. */
#define LONG_REPORT 5e-3

/* Times by which a given power may be too high. Larger: useful CPUs start later or not at all.
 * Smaller: a CPU may get a unit that outlasts the run. Powers are often guesses from cores and
 * clock rates. */
#define POWER_ERROR 10.0

/* Speed of a PU that has not reported, as a part of the mean. Larger: blocks are shorter, training too.
 * Smaller: blocks are longer than the rest of training where the PU is slow. */
#define UNREPORTED 0.5

/* Work of all PUs' second blocks together at least, in first blocks. Smaller: the sizes of a PU's
 * two blocks differ too little for a line. Larger: tiny runs are all training. */
#define SECOND 2.0

/* Which PUs are CPUs beside GPUs, and how strong each is thought to be. */
static void compare(struct plb_training *t, const struct plb_view *view)
{
    double power[2] = {0.0, 0.0}; /* the most of a CPU, and of another kind */
    for (int p = 0; p < view->n_pus; p++) {
        double *most = &power[view->pus[p].kind != PLB_CPU];
        *most = view->pus[p].lost ? *most : fmax(*most, view->pus[p].power);
    }
    for (int p = 0; p < view->n_pus; p++) {
        t->pus[p].beside = view->pus[p].kind == PLB_CPU && power[1] > 0.0;
        t->pus[p].guess = fmin(view->pus[p].power / (power[1] > 0.0 ? power[1] : power[0]), 1.0);
    }
}

void plb_training_count(struct plb_training *t, const struct plb_view *view)
{
    compare(t, view);
    t->needed = t->trained = t->n_rates = t->unstarted = 0;
    t->rates = t->beside_rates = t->unreported = 0.0;
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_trainee *pu = &t->pus[p];
        if (view->pus[p].lost)
            continue;
        t->needed += !pu->beside;
        t->trained += !pu->beside && pu->reports >= 2;
        t->n_rates += !pu->beside && pu->rate > 0.0;
        t->unstarted += !pu->beside && pu->reports == 0 && view->pus[p].outstanding == 0;
        t->rates += pu->rate;
        t->beside_rates += pu->beside ? pu->rate : 0.0;
        t->unreported += pu->rate == 0.0 ? pu->guess : 0.0;
    }
}

bool plb_training_init(struct plb_training *t, const struct plb_view *view, double first_block, double part,
                       bool synchronise)
{
    *t = (struct plb_training){.pus = calloc((size_t)view->n_pus, sizeof *t->pus), .part = part};
    if (t->pus == NULL)
        return false;
    t->first_block = first_block > 0.0 ? first_block : fmax(view->total / (FIRST_PARTS * view->n_pus), 1.0);
    t->synchronise = synchronise;
    for (int p = 0; p < view->n_pus; p++) {
        const struct plb_pu *pu = &view->pus[p];
        t->pus[p].reports = pu->n_samples < 2 ? pu->n_samples : 2;
        if (pu->n_samples > 0)
            t->pus[p].rate = plb_sample_rate(&pu->samples[pu->n_samples - 1]);
    }
    plb_training_count(t, view);
    return true;
}

void plb_training_fini(struct plb_training *t)
{
    free(t->pus);
}

bool plb_start_unknown(const struct plb_training *t, const struct plb_view *view, int p)
{
    const struct plb_pu *pu = &view->pus[p];
    return t->pus[p].reports == 1 && pu->n_samples > 0 && pu->samples[0].execute_s > LONG_REPORT;
}

/* A part of the others' first block, or a unit, if that ends in time even where the CPU's power was
 * given much too high. */
double plb_training_probe(const struct plb_training *t, const struct plb_view *view, int p)
{
    double guess = t->pus[p].guess / POWER_ERROR;
    if (t->unstarted > 0)
        return PLB_WAIT;
    if (view->pus[p].outstanding > 0)
        return PLB_WAIT_OWN;
    bool in_time = view->next <= guess * view->remaining / t->needed;
    return in_time ? fmax(guess * t->first_block, view->next) : PLB_WAIT;
}

/* The block after a PU's first report: one that lasts as long as the others'. */
static double equal_time_block(const struct plb_training *t, const struct plb_view *view, int p)
{
    const struct plb_trainee *own = &t->pus[p];
    double rates = (t->rates - (own->beside ? 0.0 : t->beside_rates))
                 * (1.0 + UNREPORTED * (t->needed - t->n_rates) / t->n_rates);
    double seconds = t->part * view->total / rates;
    if (t->n_rates < t->needed && !t->synchronise)
        seconds = fmin(seconds, OF_ELAPSED * view->now);
    double least = own->reports == 1 ? SECOND * t->first_block * own->rate / rates : 1.0;
    if (!own->beside)
        return fmax(own->rate * seconds, least);
    /* Its rate is that of a tiny block, and that of the others may be far too low. */
    if (view->next > 2.0 * own->rate * view->now)
        return PLB_WAIT;
    return fmax(own->rate * fmin(seconds, view->now), view->next);
}

double plb_training_block(const struct plb_training *t, const struct plb_view *view, int p)
{
    const struct plb_trainee *own = &t->pus[p];
    bool busy = view->pus[p].outstanding > 0;
    if (own->beside && own->reports == 0)
        return plb_training_probe(t, view, p);
    if (own->reports == 0)
        return busy ? PLB_WAIT_OWN : t->first_block;
    if (t->n_rates == 0 || (own->reports >= 2 && t->synchronise))
        return PLB_WAIT;
    bool none_ahead = t->n_rates < t->needed || own->beside || plb_start_unknown(t, view, p);
    if (none_ahead && busy)
        return view->n_pus > PLB_FEW_PUS ? PLB_WAIT_OWN : PLB_WAIT;
    return equal_time_block(t, view, p);
}

bool plb_training_started(struct plb_training *t, int p)
{
    bool first = !t->pus[p].beside && t->pus[p].reports == 0;
    t->unstarted -= first;
    return first && t->unstarted == 0;
}

void plb_training_rate(struct plb_training *t, int p, double rate)
{
    struct plb_trainee *own = &t->pus[p];
    bool first = own->rate == 0.0;
    t->n_rates += first && !own->beside;
    t->unreported -= first ? own->guess : 0.0;
    t->rates += rate - own->rate;
    t->beside_rates += own->beside ? rate - own->rate : 0.0;
    own->rate = rate;
}

void plb_training_block_end(struct plb_training *t, int p)
{
    struct plb_trainee *own = &t->pus[p];
    own->reports++;
    t->trained += own->reports == 2 && !own->beside;
}
