#include "check.h"

#include <float.h>
#include <math.h>

/* The rounding of a sum over all bodies, as a part of its terms' magnitudes: that of a tile, and of all
 * tiles. 16: of the steps to a term. */
static double rounding_of(const struct space *s)
{
    const double total = ((double)s->n / TILE + 16.0) * DBL_EPSILON;
    return (TILE + 16) * (s->narrow ? (double)FLT_EPSILON : DBL_EPSILON) + total;
}

/* The sums of pull_block for a body. size: of the same forces if all had one direction. */
static struct pull plain(const struct space *s, const struct last_pass *p, int64_t i, double *size)
{
    struct pull sum = {0.0, 0.0, 0.0, 0.0};
    *size = 0.0;
    for (int64_t j = 0; j < s->n; j++) {
        double way[3], square = s->softening, mass = number(s, p->masses, j);
        if (j == i)
            continue;
        for (int k = 0; k < 3; k++) {
            way[k] = number(s, p->positions, 3 * j + k) - number(s, p->positions, 3 * i + k);
            square += way[k] * way[k];
        }
        const double cube = pow(square, 1.5);
        sum.x += mass * way[0] / cube;
        sum.y += mass * way[1] / cube;
        sum.z += mass * way[2] / cube;
        sum.depth += mass / sqrt(square);
        *size += mass / square;
    }
    return sum;
}

int check_last_pass(struct plb_app *app, const struct space *s, const struct last_pass *p)
{
    const double pulls = s->gravity * s->unit, rounding = rounding_of(s);
    double kinetic = 0.0, potential = 0.0, slack_of_kinetic = 0.0;
    int64_t wrong = INT64_MAX;
#pragma omp parallel for reduction(min : wrong) reduction(+ : kinetic, potential, slack_of_kinetic)
    for (int64_t i = 0; i < s->n; i++) {
        double size;
        const double mass = s->unit * number(s, p->masses, i);
        const struct pull pull = plain(s, p, i, &size);
        const double force[3] = {pulls * pull.x, pulls * pull.y, pulls * pull.z};
        for (int k = 0; k < 3; k++) {
            const double before = number(s, p->velocities, 3 * i + k), v = before + p->kick * force[k];
            const double slack = rounding * (fabs(before) + p->kick * pulls * size);
            if (!(fabs(number(s, p->new_velocities, 3 * i + k) - v) <= slack)
                || number(s, p->new_positions, 3 * i + k) != number(s, p->positions, 3 * i + k))
                wrong = i < wrong ? i : wrong;
            kinetic += 0.5 * mass * v * v;
            slack_of_kinetic += mass * fabs(v) * slack;
        }
        potential -= 0.5 * mass * pulls * pull.depth;
    }
    const double of_sum = rounding + (double)s->n * DBL_EPSILON;
    if (wrong == INT64_MAX && fabs(p->sums[KINETIC] - kinetic) <= of_sum * kinetic + slack_of_kinetic
        && fabs(p->sums[POTENTIAL] - potential) <= of_sum * fabs(potential))
        return PLB_OK;
    if (wrong < INT64_MAX)
        plb_app_error(app, "position or velocity of body %lld differs from the reference",
                      (long long)wrong + 1);
    else
        plb_app_error(app, "the energies are %.17g and %.17g; the reference says %.17g and %.17g",
                      p->sums[KINETIC], p->sums[POTENTIAL], kinetic, potential);
    return PLB_EVERIFY;
}

/* The rounding of a force is a part of its terms. They are taken to change a velocity by no more than the
 * largest velocity is. */
int64_t agree_vectors(const struct space *s, const struct plb_twice *results)
{
    const size_t real = s->narrow ? sizeof(float) : sizeof(double);
    const int64_t n = (int64_t)(results->bytes / real);
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(number(s, results->one, i)));
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(number(s, results->one, i) - number(s, results->other, i)) <= rounding_of(s) * largest))
            return i * (int64_t)real;
    return PLB_SAME;
}

/* The magnitudes of the momenta add up to the root of twice the mass and the kinetic energy at most. */
int64_t agree_sums(const struct space *s, const struct plb_twice *results)
{
    const double *one = results->one, *other = results->other, count = (double)results->count;
    const double rounding = rounding_of(s) + count * DBL_EPSILON;
    const double momenta = sqrt(2.0 * count * s->unit * one[KINETIC]);
    for (int i = 0; i < ALL_SUMS; i++)
        if (!(fabs(one[i] - other[i]) <= rounding * (i < MOMENTUM ? fabs(one[i]) : momenta)))
            return i * (int64_t)sizeof *one;
    return PLB_SAME;
}
