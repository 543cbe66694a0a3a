/* A table, and MPI_Testsome over parts of it in turn. */
#include "transport/mpi_requests.h"

#include <stdlib.h>

#include "base/lease.h"
#include "base/memory.h"

/* Requests that one look tests, where there are more: so many, and at least this part of all. MPI looks at
 * each of them, about 3 ns long. More: a look takes longer, and messages wait. Fewer: a transfer is seen to
 * be complete after more looks. */
#define WINDOW 512
#define PART 0.125

static struct plb_coming *coming_from(struct plb_requests *r, int peer)
{
    if (peer >= r->n_peers) {
        r->coming = plb_grow(r->coming, (size_t)(peer + 1) * sizeof *r->coming);
        while (r->n_peers <= peer)
            r->coming[r->n_peers++] = (struct plb_coming){0};
    }
    return &r->coming[peer];
}

struct plb_coming plb_requests_look(struct plb_requests *r, int peer)
{
    struct plb_coming *coming = coming_from(r, peer), now = *coming;
    coming->arrived = 0;
    return now;
}

MPI_Request *plb_requests_add(struct plb_requests *r, const struct plb_request *request)
{
    if (r->n == r->capacity) {
        r->capacity = r->capacity > 0 ? 2 * r->capacity : 64;
        size_t n = (size_t)r->capacity;
        r->at = plb_grow(r->at, n * sizeof *r->at);
        r->of = plb_grow(r->of, n * sizeof *r->of);
        r->done = plb_grow(r->done, n * sizeof *r->done);
        r->how = plb_grow(r->how, n * sizeof *r->how);
    }
    r->of[r->n] = *request;
    r->at[r->n] = MPI_REQUEST_NULL;
    coming_from(r, request->peer)->bytes += request->bytes;
    if (request->pending != NULL) {
        ++*request->pending;
        r->n_data++;
    }
    return &r->at[r->n++];
}

/* Drops finished requests, keeping the others in order. */
static void forget(struct plb_requests *r)
{
    int kept = 0;
    for (int i = 0; i < r->n; i++) {
        if (r->of[i].over)
            continue;
        r->at[kept] = r->at[i];
        r->of[kept++] = r->of[i];
    }
    r->n = kept;
    r->next = 0;
}

/* Drops the finished requests of a window of n. The last ones of the table take their places, behind the
 * others of the window, and are tested next. */
static void forget_window(struct plb_requests *r, int first, int n)
{
    int kept = first, end = first + n;
    for (int i = first; i < end; i++) {
        if (r->of[i].over)
            continue;
        r->at[kept] = r->at[i];
        r->of[kept++] = r->of[i];
    }
    r->next = kept;
    for (; kept < end && r->n > end; kept++) {
        r->at[kept] = r->at[--r->n];
        r->of[kept] = r->of[r->n];
    }
    if (r->n == end)
        r->n = kept;
}

/* A request is over, or given up. */
static void lower(struct plb_requests *r, const struct plb_request *request)
{
    coming_from(r, request->peer)->bytes -= request->bytes;
    if (request->pending == NULL)
        return;
    --*request->pending;
    r->n_data--;
}

bool plb_requests_progress(struct plb_requests *r)
{
    int finished = 0, n = (int)(PART * r->n), first = r->next < r->n ? r->next : 0;
    if (r->n == 0)
        return false;
    n = n > WINDOW ? n : WINDOW;
    n = n < r->n - first ? n : r->n - first;
    bool all_right = MPI_Testsome(n, r->at + first, &finished, r->done, r->how) == MPI_SUCCESS;
    for (int i = 0; i < finished; i++) {
        struct plb_request *request = &r->of[first + r->done[i]];
        if (!all_right && r->how[i].MPI_ERROR != MPI_SUCCESS)
            continue;
        coming_from(r, request->peer)->arrived += request->bytes;
        free(request->owned);
        request->over = true;
        lower(r, request);
    }
    r->next = first + n;
    if (finished > 0)
        forget_window(r, first, n);
    return finished > 0;
}

void plb_requests_abandon(struct plb_requests *r, int peer)
{
    bool any = false;
    for (int i = 0; i < r->n; i++) {
        struct plb_request *request = &r->of[i];
        if (request->peer != peer)
            continue;
        if (request->bytes > 0 && r->at[i] != MPI_REQUEST_NULL)
            MPI_Cancel(&r->at[i]); /* one that is matched goes on; its buffer stays */
        plb_lease_for_ever(request->owned);
        lower(r, request);
        request->over = true;
        any = true;
    }
    if (any)
        forget(r);
}

void plb_requests_fini(struct plb_requests *r)
{
    free(r->at);
    free(r->of);
    free(r->done);
    free(r->how);
    free(r->coming);
    *r = (struct plb_requests){0};
}
