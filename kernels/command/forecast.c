/* Logarithms, and one lock. */
#include "forecast.h"

#include <math.h>
#include <pthread.h>

/* Assumed before lines have ended, and counted as so many of them: deviations of the logarithm of a ratio.
 * Lines of which nothing is told may differ a hundredfold; told costs are off by less; and times of another
 * host by a quarter. */
#define ASSUMED 2.0
#define UNKNOWN 1.5
#define TOLD 0.4
#define KNOWN 0.25

void command_ratios_add(struct command_ratios *r, double ratio)
{
    r->at[r->n++ % COMMAND_RATIOS] = fmax(ratio, 1e-9);
}

static int kept(const struct command_ratios *r)
{
    return r->n < COMMAND_RATIOS ? r->n : COMMAND_RATIOS;
}

/* Mean and deviation of the logarithms; false: nothing is known. */
static bool find_law(const struct command_ratios *r, double *mean, double *deviation)
{
    int n = kept(r);
    double sum = 0.0, squares = 0.0, assumed = r->known ? KNOWN : r->told ? TOLD : UNKNOWN;
    for (int i = 0; i < n; i++)
        sum += log(r->at[i]);
    if (n == 0 && !r->known)
        return false;
    *mean = n > 0 ? sum / n : 0.0;
    for (int i = 0; i < n; i++)
        squares += (log(r->at[i]) - *mean) * (log(r->at[i]) - *mean);
    double variance = (squares + ASSUMED * assumed * assumed) / (fmax(n - 1, 0) + ASSUMED);
    *deviation = sqrt(variance * (n > 0 ? 1.0 + 1.0 / n : 1.0));
    return true;
}

double command_chance(const struct command_ratios *r, double most)
{
    double mean, deviation;
    int n = kept(r), below = 0;
    if (!find_law(r, &mean, &deviation))
        return 1.0;
    for (int i = 0; i < n; i++)
        below += r->at[i] <= most;
    double law = most > 0.0 ? 0.5 * erfc((mean - log(most)) / deviation / sqrt(2.0)) : 0.0;
    return fmax(law, n > 0 ? (double)below / n : 0.0);
}

double command_expected(const struct command_ratios *r)
{
    double mean, deviation;
    return find_law(r, &mean, &deviation) ? exp(mean) : 0.0;
}

/* -------------------------------------------------------------------- this process */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct command_ratios ratios[2]; /* by form */

static struct command_ratios *of_form(int form, bool told, bool known)
{
    ratios[form].told = told;
    ratios[form].known = known;
    return &ratios[form];
}

void command_note(int form, bool told, bool known, double cost, double seconds)
{
    pthread_mutex_lock(&lock);
    command_ratios_add(of_form(form, told, known), seconds / cost);
    pthread_mutex_unlock(&lock);
}

double command_chance_here(int form, bool told, bool known, double cost, double left, double *expected)
{
    pthread_mutex_lock(&lock);
    const struct command_ratios *r = of_form(form, told, known);
    double chance = command_chance(r, left / cost);
    *expected = command_expected(r) * cost;
    pthread_mutex_unlock(&lock);
    return chance;
}
