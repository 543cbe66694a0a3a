/* The polyline of time and energy of PUs whose time is in proportion to their work: its pieces in the order
 * of joules per unit. Used by model/energy/objective. Pure functions; thread-safe.
 *
 * A piece is one PU, or several PUs of a node that work together. Where each node counts its static watts
 * itself (BUSY, OFF_WHEN_IDLE), the PUs of a node that are best together, static watts included, are one
 * piece: the prefix of its PUs, by joules per unit, with the least (static + Σ P) / Σ S. Each further PU of
 * the node is a piece by itself, since it costs more per unit than the prefix. */
#ifndef PLB_MODEL_ENERGY_PIECES_H
#define PLB_MODEL_ENERGY_PIECES_H

#include <stdbool.h>

#include "model/energy/power_job.h"

struct plb_piece {
    double rate, watts, cost; /* units/s, watts, joules per unit = watts / rate */
    int first, n;             /* its PUs in `order` */
};

struct plb_piece_key; /* what PUs are sorted by */

struct plb_pieces {
    struct plb_piece *pieces; /* n of them, from the cheapest unit to the most expensive */
    int *order;               /* indices of PUs */
    struct plb_piece_key *keys;
    int n;
    double base; /* watts that are drawn for all of T, whoever works */
    double work;
};

/* Room for `most` PUs (0 or more); false where memory is short. To be freed by plb_pieces_fini either way. */
bool plb_pieces_init(struct plb_pieces *p, int most);
void plb_pieces_fini(struct plb_pieces *p);

/* A point on the polyline: the first `full` pieces work for all of T, the next one for part_s seconds. */
struct plb_pieces_point {
    double seconds, joules, part_s;
    int full;
};

/* Sorts PUs by joules per unit; at most as many as there is room for in p. */
void plb_pieces_sort(struct plb_pieces *p, const struct plb_power_job *job, int *who, int n);

/* Sorts PUs, the fastest first. */
void plb_pieces_sort_by_speed(struct plb_pieces *p, const struct plb_power_job *job, int *who, int n);

/* One piece for each of the PUs `who`, which are in the order of joules per unit. `base`: static watts. */
void plb_pieces_single(struct plb_pieces *p, const struct plb_power_job *job, const int *who, int n,
                       double base);

/* The PUs `who`, in any order, in pieces that count the static watts of their nodes. */
void plb_pieces_by_node(struct plb_pieces *p, const struct plb_power_job *job, const int *who, int n);

/* The best point with `from` <= T <= `to`; the shortest T where that is above `to`. */
struct plb_pieces_point plb_pieces_best(const struct plb_pieces *p, enum plb_objective objective, double from,
                                        double to);

/* T, E or E·T. */
double plb_objective_value(enum plb_objective objective, double seconds, double joules);
#endif
