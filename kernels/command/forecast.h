/* Whether a line will end before the time of the run is over.
 *
 * Each process learns, for each form of the command, how many seconds a line took for each unit of its cost:
 * the ratio. If costs are unknown, a line costs 1, and the ratios are the times of lines. Their
 * logarithms are taken for normal, with an error of mean and spread that is large while few lines have ended;
 * and what part of the lines did so well is a least probability, so that a few short lines among long ones
 * keep their chance. */
#ifndef COMMAND_FORECAST_H
#define COMMAND_FORECAST_H

#include <stdbool.h>

/* A line does not start that would end with a smaller probability. Larger: time at the end is not used.
 * Smaller: programs are cut off. */
#define COMMAND_LEAST_CHANCE 0.05

/* Ratios that are kept, the latest. More: slower. Fewer: less certain. */
#define COMMAND_RATIOS 256

struct command_ratios {
    int n;      /* seen; the last COMMAND_RATIOS of them are kept */
    bool told;  /* costs are told: ratios differ less than lines do */
    bool known; /* the costs are seconds of an earlier run: a ratio is about 1 */
    double at[COMMAND_RATIOS];
};

void command_ratios_add(struct command_ratios *ratios, double ratio);

/* The probability that a ratio is at most this one; 1 where nothing is known. */
double command_chance(const struct command_ratios *ratios, double most);

/* The ratio that one expects; 0: nothing is known. */
double command_expected(const struct command_ratios *ratios);

/* The ratios of this process, by form: noted when a line has ended, and the chance of a line of this cost
 * with so many seconds left. *expected: seconds. Any thread may call them. */
void command_note(int form, bool told, bool known, double cost, double seconds);
double command_chance_here(int form, bool told, bool known, double cost, double left, double *expected);

#endif
