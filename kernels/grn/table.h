/* Expression tables: read or made up, in levels, as bit planes. */
#ifndef TABLE_H
#define TABLE_H

#include "search.h"

/* How the level of a value is decided, in the order of the option's words. */
#define METHODS "mean|median|quantile|discrete"
enum method { MEAN, MEDIAN, QUANTILE, DISCRETE };

struct table {
    int64_t genes, samples;
    const char *path;        /* NULL: made up */
    const char **names;      /* of genes; NULL: made up */
    const int64_t *lines;    /* of genes, in the file */
    const char **samples_of; /* names of samples */
    const double *values;    /* genes x samples; NULL in a simulation of a made-up table */
};

/* Reads the table that the options name, or makes one up. PLB_OK; or PLB_EINPUT after plb_app_error. */
int table_read(struct plb_app *app, struct table *table);

/* The name of a gene; made-up ones are numbered from 1. */
const char *table_name(const struct table *table, int64_t gene, char room[32]);

/* Reads the targets: an index for each name in a file of names, one a line; NULL where the option is not
 * given, and then all genes are targets. *n: how many. PLB_OK; or PLB_EINPUT after plb_app_error. */
int table_targets(struct plb_app *app, const struct table *table, const int64_t **targets, int64_t *n);

/* Gives each value a level, 0 to levels - 1, by the option `method`: genes x samples bytes. PLB_OK; or
 * PLB_EINPUT after plb_app_error: a value of a discrete table is no level. */
int table_levels(struct plb_app *app, const struct table *table, int levels, uint8_t *level);

/* Lays samples `from` on as bit planes. planes: words_in_planes(s) words, all zero. */
void table_planes(const struct search *s, const struct table *table, const uint8_t *level, int64_t from,
                  uint64_t *planes);

#endif
