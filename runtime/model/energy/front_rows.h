/* The rows of a front of time and energy (model/energy/front). */
#ifndef PLB_MODEL_ENERGY_FRONT_ROWS_H
#define PLB_MODEL_ENERGY_FRONT_ROWS_H

/* Rows at most. More: a table is longer than a screen. Fewer: deadlines in between are further from a row. */
#define PLB_FRONT_ROWS 20

struct plb_front_row {
    double seconds, joules;
    int working;     /* PUs that have work */
    const double *x; /* of each PU: its units */
};

struct plb_front {
    int n;         /* rows; 0 where no PU may work */
    int least_edp; /* the row with the least energy times delay; 0 is least time, n - 1 least energy */
    struct plb_front_row rows[PLB_FRONT_ROWS];
    double then_joules; /* the least energy within the seconds that were asked for; NAN: it cannot be done */
    double *x;          /* of all rows */
};

#endif
