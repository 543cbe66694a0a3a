/* Counting sort by page. */
#include "links.h"

#include <string.h>

#include "graph.h"

#define MOST 4e9 /* links that are drawn at most: 16 GB */

static bool ends_with(const char *path, const char *end)
{
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0;
}

static void count_out(struct pagerank_links *l)
{
    for (int64_t i = 0; i < l->links; i++)
        l->out[l->from[i]]++;
}

/* Row i of the matrix has the pages that page i links to. */
static void turn_round(struct plb_app *app, const struct plb_csr *m, struct pagerank_links *l)
{
    int64_t *next = plb_app_alloc_array(app, l->pages + 1, sizeof *next);
    for (int64_t i = 0; i < m->nonzeros; i++)
        l->offsets[m->indices[i] + 1]++;
    for (int64_t p = 0; p < l->pages; p++)
        l->offsets[p + 1] += l->offsets[p];
    memcpy(next, l->offsets, (size_t)l->pages * sizeof *next);
    for (int64_t p = 0; p < l->pages; p++)
        for (int64_t i = m->offsets[p]; i < m->offsets[p + 1]; i++)
            l->from[next[m->indices[i]]++] = (int32_t)p;
}

static void allocate(struct plb_app *app, struct pagerank_links *l)
{
    l->offsets = plb_app_alloc_array(app, l->pages + 1, sizeof *l->offsets);
    l->out = plb_app_alloc_array(app, l->pages, sizeof *l->out);
}

static int read_graph(struct plb_app *app, const char *path, struct pagerank_links *l)
{
    struct plb_csr m;
    int status = ends_with(path, ".npz") ? plb_read_npz(app, path, &m) : plb_read_mtx(app, path, &m);
    if (status != PLB_OK)
        return status;
    if (m.rows != m.columns)
        return plb_app_error(app,
                             "%s: is %lld x %lld, and the links of pages to each other are a square matrix",
                             path, (long long)m.rows, (long long)m.columns);
    l->pages = m.rows;
    l->links = m.nonzeros;
    allocate(app, l);
    l->from = plb_app_alloc_array(app, l->links, sizeof *l->from);
    if (m.indices == NULL) { /* a simulation has not read them: as many links to each page as from it */
        memcpy(l->offsets, m.offsets, (size_t)(l->pages + 1) * sizeof *l->offsets);
        return PLB_OK;
    }
    turn_round(app, &m, l);
    count_out(l);
    return PLB_OK;
}

int pagerank_read(struct plb_app *app, struct pagerank_links *l)
{
    const char *path = plb_app_text(app, "graph");
    int64_t mean = plb_app_int(app, "links");
    uint64_t seed = (uint64_t)plb_app_int(app, "seed");
    *l = (struct pagerank_links){.pages = plb_app_int(app, "pages")};
    if (path != NULL)
        return read_graph(app, path, l);
    if ((double)l->pages * (double)mean > MOST)
        return plb_app_error(app,
                             "[pagerank] asks for %.3g links; at most 4e9 are drawn, so lower pages or links",
                             (double)l->pages * (double)mean);
    allocate(app, l);
    for (int64_t p = 0; p < l->pages; p++)
        l->offsets[p + 1] = l->offsets[p] + pagerank_links_to(l->pages, mean, seed, p);
    l->links = l->offsets[l->pages];
    l->from = plb_app_alloc_array(app, l->links, sizeof *l->from);
    if (plb_app_simulated(app))
        return PLB_OK;
    for (int64_t i = 0; i < l->links; i++)
        l->from[i] = pagerank_source(l->pages, seed, i);
    count_out(l);
    return PLB_OK;
}
