/* The bodies of a job at its start. */
#ifndef START_H
#define START_H

#include "pull.h"

enum body_column { MASS, PLACE, VELOCITY = 4, BODY_COLUMNS = 7 };

/* Bodies as they are read or made. */
struct start {
    int64_t n;
    double *rows; /* n x BODY_COLUMNS; NULL in a simulation */
};

/* Reads the bodies as the options say, or makes them, and checks each one. PLB_OK, or PLB_EINPUT after
 * plb_app_error. */
int start_read(struct plb_app *app, struct start *start);

/* Refuses two bodies at one place, which only softening allows. positions: as pull_block has them. Returns as
 * above. */
int start_apart(struct plb_app *app, const struct space *s, const void *positions);

#endif
