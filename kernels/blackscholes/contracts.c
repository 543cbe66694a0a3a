/* Reads contracts. A number that makes no sense is refused before work starts, with its row: a price computed
 * from it would look like any other. */
#include "contracts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Bounds of what the formulas take, so that no number on the way overflows. Larger: exp() does. Smaller: real
 * contracts are refused. */
#define MOST_GROWTH 500.0  /* of |rate * time| and |dividend * time| */
#define MOST_SPREAD 100.0  /* of volatility * sqrt(time) */
#define MOST_MONEY 1e100   /* spot and strike, and one over them */
#define LEAST_SPREAD 1e-12 /* of volatility * sqrt(time) */

static const struct plb_csv_column columns[] = {
    [SPOT] = {"spot", NULL},         [STRIKE] = {"strike", NULL},         [RATE] = {"rate", NULL},
    [DIVIDEND] = {"dividend", NULL}, [VOLATILITY] = {"volatility", NULL}, [TIME] = {"time", NULL},
    [TYPE] = {"type", "call|put"},   [CONTRACT_COLUMNS] = {NULL, NULL},
};

/* Refuses a row, from 0: a number that is not within what the contract allows. */
static int refuse(struct plb_app *app, const char *path, int64_t row, const char *name, double value,
                  const char *expected)
{
    return plb_app_error(app, "%s: %s of option %lld is %g, but %s was expected; correct it", path, name,
                         (long long)row + 1, value, expected);
}

static int check(struct plb_app *app, const char *path, int64_t row, const double *c)
{
    static const char *const positive = "a number above 0";
    double spread = c[VOLATILITY] * sqrt(c[TIME]);
    for (int i = 0; i < CONTRACT_COLUMNS; i++)
        if (!isfinite(c[i]))
            return refuse(app, path, row, columns[i].name, c[i], "a finite number");
    for (int i = SPOT; i <= STRIKE; i++)
        if (!(c[i] > 0.0 && c[i] <= MOST_MONEY && c[i] >= 1.0 / MOST_MONEY))
            return refuse(app, path, row, columns[i].name, c[i],
                          c[i] > 0.0 ? "a number from 1e-100 to 1e100" : positive);
    for (int i = VOLATILITY; i <= TIME; i++)
        if (!(c[i] > 0.0))
            return refuse(app, path, row, columns[i].name, c[i], positive);
    if (c[TYPE] != CALL && c[TYPE] != PUT)
        return refuse(app, path, row, "type", c[TYPE], "0 (call) or 1 (put)");
    for (int i = RATE; i <= DIVIDEND; i++)
        if (!(fabs(c[i] * c[TIME]) <= MOST_GROWTH))
            return refuse(app, path, row, i == RATE ? "rate * time" : "dividend * time", c[i] * c[TIME],
                          "a number from -500 to 500");
    if (!(spread >= LEAST_SPREAD && spread <= MOST_SPREAD))
        return refuse(app, path, row, "volatility * sqrt(time)", spread, "a number from 1e-12 to 100");
    return PLB_OK;
}

static bool is_npy(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL && strcmp(dot, ".npy") == 0;
}

static int read_npy(struct plb_app *app, const char *path, struct plb_array *a)
{
    if (plb_read_npy(app, path, PLB_ROW_MAJOR, a) != PLB_OK)
        return PLB_EINPUT;
    if (a->columns != CONTRACT_COLUMNS)
        return plb_app_error(app,
                             "%s: is %lld x %lld, but 7 columns were expected: spot, strike, rate, dividend, "
                             "volatility, time, and 0 for a call or 1 for a put",
                             path, (long long)a->rows, (long long)a->columns);
    if (a->element_bytes == sizeof(double) || a->data == NULL)
        return PLB_OK;
    const float *narrow = a->data;
    double *wide = plb_app_alloc_array(app, a->rows * a->columns, sizeof *wide);
    for (int64_t i = 0; i < a->rows * a->columns; i++)
        wide[i] = (double)narrow[i];
    a->data = wide;
    a->element_bytes = sizeof *wide;
    return PLB_OK;
}

/* Contracts near the money and of usual terms, the same for a seed. */
static void synthesise(struct plb_app *app, struct plb_array *a)
{
    uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    double *values = a->data = plb_app_alloc_array(app, a->rows * a->columns, sizeof *values);
#pragma omp parallel for
    for (int64_t i = 0; i < a->rows; i++) {
        double *c = values + i * CONTRACT_COLUMNS, u[CONTRACT_COLUMNS];
        for (int k = 0; k < CONTRACT_COLUMNS; k++)
            u[k] = plb_random_real(seed, (uint64_t)(i * CONTRACT_COLUMNS + k));
        c[SPOT] = 50.0 + 100.0 * u[SPOT];
        c[STRIKE] = c[SPOT] * (0.7 + 0.6 * u[STRIKE]);
        c[RATE] = 0.08 * u[RATE];
        c[DIVIDEND] = 0.04 * u[DIVIDEND];
        c[VOLATILITY] = 0.1 + 0.5 * u[VOLATILITY];
        c[TIME] = 0.1 + 2.9 * u[TIME];
        c[TYPE] = u[TYPE] < 0.5 ? CALL : PUT;
    }
}

int contracts_read(struct plb_app *app, struct plb_array *a)
{
    const char *path = plb_app_text(app, "contracts");
    *a = (struct plb_array){NULL, sizeof(double), plb_app_int(app, "count"), CONTRACT_COLUMNS, false};
    if (path == NULL && !plb_app_simulated(app))
        synthesise(app, a);
    if (path == NULL)
        return PLB_OK;
    int status = is_npy(path) ? read_npy(app, path, a) : plb_read_csv(app, path, columns, a);
    for (int64_t i = 0; status == PLB_OK && a->data != NULL && i < a->rows; i++)
        status = check(app, path, i, (const double *)a->data + i * CONTRACT_COLUMNS);
    return status;
}
