/* Reads bodies, or makes a Plummer sphere, on rank 0. */
#include "start.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Larger numbers are refused: cubes of distances would be infinite. */
#define LARGEST 1e100
#define LARGEST_NARROW 1e12

#define TRIES 256 /* for the speed of a body: one in 1e60 does not get its own */

static const char *const names[BODY_COLUMNS] = {"mass", "x", "y", "z", "vx", "vy", "vz"};

/* Finds the first number that is none, or out of bounds. */
static int check(struct plb_app *app, const char *path, const struct start *s)
{
    const double largest = plb_app_choice(app, "precision") == 0 ? LARGEST : LARGEST_NARROW;
    for (int64_t i = 0; i < s->n * BODY_COLUMNS; i++) {
        const int column = (int)(i % BODY_COLUMNS);
        const double most = column == MASS ? LARGEST : largest, least = column == MASS ? 0.0 : -most;
        if (!(s->rows[i] >= least && s->rows[i] <= most))
            return plb_app_error(app, "%s: %s of body %lld is %g, but a number from %g to %g was expected%s",
                                 path, names[column], (long long)(i / BODY_COLUMNS) + 1, s->rows[i], least,
                                 most,
                                 fabs(s->rows[i]) <= LARGEST && column != MASS
                                     ? "; choose another unit, or precision = float64"
                                     : "");
    }
    return PLB_OK;
}

static int read_file(struct plb_app *app, const char *path, struct start *s)
{
    struct plb_array a;
    if (plb_read_npy(app, path, PLB_ROW_MAJOR, &a) != PLB_OK)
        return PLB_EINPUT;
    if (a.columns != BODY_COLUMNS)
        return plb_app_error(
            app, "%s: has %lld columns, but 7 were expected: mass, x, y, z, vx, vy and vz of a body", path,
            (long long)a.columns);
    if (a.rows < 2)
        return plb_app_error(app, "%s: has %lld %s, but 2 or more were expected", path, (long long)a.rows,
                             a.rows == 1 ? "body" : "bodies");
    s->n = a.rows;
    if (plb_app_simulated(app))
        return PLB_OK;
    s->rows = a.data;
    if (a.element_bytes == sizeof(float)) {
        s->rows = plb_app_alloc_array(app, a.rows, BODY_COLUMNS * sizeof *s->rows);
        for (int64_t i = 0; i < a.rows * BODY_COLUMNS; i++)
            s->rows[i] = (double)((const float *)a.data)[i];
    }
    return check(app, path, s);
}

/* A vector of this length in a random direction. */
static void direct(double length, double u, double v, double *to)
{
    const double z = 2.0 * u - 1.0, across = sqrt(1.0 - z * z), angle = 6.283185307179586 * v;
    to[0] = length * across * cos(angle);
    to[1] = length * across * sin(angle);
    to[2] = length * z;
}

/* A Plummer sphere of mass 1 that is at rest and in balance, as Aarseth, Henon and Wielen (1974) draw it. Its
 * energy is about -gravity / 4; 99.9 % of the mass is drawn. */
static void plummer(struct plb_app *app, struct start *s)
{
    const uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    const double unit = 3.0 * 3.141592653589793 / 16.0, speed = sqrt(plb_app_real(app, "gravity") / unit);
    double mean[BODY_COLUMNS] = {0.0};
    for (int64_t i = 0; i < s->n; i++) {
        const uint64_t at = 4 * (uint64_t)i, many = 2 * TRIES * (uint64_t)i;
        double *row = s->rows + i * BODY_COLUMNS, q = 0.0;
        double r = 1.0 / sqrt(pow(0.999 * plb_random_real(seed, (uint64_t)i) + 1e-10, -2.0 / 3.0) - 1.0);
        for (uint64_t k = 0; k < TRIES; k++) { /* q: in units of the speed that escapes */
            q = plb_random_real(seed + 1, many + 2 * k);
            if (0.1 * plb_random_real(seed + 1, many + 2 * k + 1) < q * q * pow(1.0 - q * q, 3.5))
                break;
        }
        row[MASS] = 1.0 / (double)s->n;
        direct(unit * r, plb_random_real(seed + 2, at), plb_random_real(seed + 2, at + 1), row + PLACE);
        direct(speed * q * sqrt(2.0) * pow(1.0 + r * r, -0.25), plb_random_real(seed + 2, at + 2),
               plb_random_real(seed + 2, at + 3), row + VELOCITY);
        for (int k = PLACE; k < BODY_COLUMNS; k++)
            mean[k] += row[k] / (double)s->n;
    }
    for (int64_t i = 0; i < s->n; i++)
        for (int k = PLACE; k < BODY_COLUMNS; k++)
            s->rows[i * BODY_COLUMNS + k] -= mean[k];
}

int start_read(struct plb_app *app, struct start *s)
{
    const char *path = plb_app_text(app, "start");
    memset(s, 0, sizeof *s);
    if (path != NULL)
        return read_file(app, path, s);
    s->n = plb_app_int(app, "bodies");
    if (plb_app_simulated(app))
        return PLB_OK;
    s->rows = plb_app_alloc_array(app, s->n, BODY_COLUMNS * sizeof *s->rows);
    plummer(app, s);
    return PLB_OK;
}

struct place {
    double at[3];
    int64_t body;
};

static bool same(const double *a, const double *b)
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static int compare(const void *one, const void *other)
{
    const struct place *a = one, *b = other;
    for (int k = 0; k < 3; k++)
        if (a->at[k] != b->at[k])
            return a->at[k] < b->at[k] ? -1 : 1;
    return a->body < b->body ? -1 : 1;
}

int start_apart(struct plb_app *app, const struct space *s, const void *positions)
{
    struct place *places = malloc((size_t)s->n * sizeof *places);
    int64_t one = -1, other = -1;
    if (places == NULL)
        return plb_app_error(app, "no memory for %lld bodies", (long long)s->n);
    for (int64_t i = 0; i < s->n; i++) {
        places[i].body = i;
        for (int k = 0; k < 3; k++)
            places[i].at[k] = number(s, positions, 3 * i + k);
    }
    qsort(places, (size_t)s->n, sizeof *places, compare);
    for (int64_t i = 1; i < s->n && one < 0; i++)
        if (same(places[i - 1].at, places[i].at)) {
            one = places[i - 1].body;
            other = places[i].body;
        }
    free(places);
    if (one < 0)
        return PLB_OK;
    return plb_app_error(app,
                         "bodies %lld and %lld are at the same place, where their force is infinite; set "
                         "nbody.softening, or move one of them",
                         (long long)one + 1, (long long)other + 1);
}
