/* The graph of a job, turned round: for each page those that link to it. */
#ifndef PAGERANK_LINKS_H
#define PAGERANK_LINKS_H

#include "plb/kernel.h"

struct pagerank_links {
    int64_t pages, links;
    int64_t *offsets; /* by page: where its links begin in `from`; pages + 1 of them */
    int32_t *from;    /* pages */
    int32_t *out;     /* by page: its links to others */
};

/* Reads the matrix of the option `graph`, or draws a graph where that is not given. The arrays belong to the
 * app. Returns PLB_OK, or what plb_app_error returned. */
int pagerank_read(struct plb_app *app, struct pagerank_links *links);

#endif
