/* Envelopes: O(n K log(n K)) to make them with K points each, O(n K) to share work out. */
#include "model/energy/envelope.h"

#include <math.h>
#include <stdlib.h>

#include "model/solve.h"

static int cheaper(const void *a, const void *b)
{
    const struct plb_envelope_piece *p = a, *q = b;
    if (p->slope != q->slope)
        return p->slope < q->slope ? -1 : 1;
    return p->pu != q->pu ? p->pu - q->pu : p->index - q->index;
}

/* The pieces of one PU. They rise in slope: one that does not is joined with the one before it. */
static int add(struct plb_envelope_piece *pieces, const struct plb_model *model, double watts, double cap,
               int pu)
{
    double x = 0.0, joules = 0.0;
    int n = 0;
    for (int k = 1; k <= PLB_ENVELOPE_POINTS; k++) {
        double next = cap * k / PLB_ENVELOPE_POINTS, at_next = watts * plb_model_time(model, next);
        struct plb_envelope_piece piece = {(at_next - joules) / (next - x), next - x, pu, n};
        for (; n > 0 && pieces[n - 1].slope >= piece.slope; n--) {
            const struct plb_envelope_piece *before = &pieces[n - 1];
            double sum = piece.work + before->work;
            piece.slope = (piece.slope * piece.work + before->slope * before->work) / sum;
            piece.work = sum;
        }
        piece.index = n;
        pieces[n++] = piece;
        x = next;
        joules = at_next;
    }
    return n;
}

void plb_envelope_make(struct plb_envelope *e, const struct plb_model *models, const double *watts, int n,
                       double work, double seconds)
{
    e->n_pieces = 0;
    for (int i = 0; i < n; i++) {
        e->cap[i] = plb_model_work(&models[i], seconds, work);
        if (e->cap[i] > 0.0)
            e->n_pieces += add(e->pieces + e->n_pieces, &models[i], watts[i], e->cap[i], i);
    }
    qsort(e->pieces, (size_t)e->n_pieces, sizeof *e->pieces, cheaper);
}

bool plb_envelope_fill(const struct plb_envelope *e, const char *in, int n, double work, int last, double *x)
{
    double left = work;
    for (int i = 0; i < n; i++)
        x[i] = 0.0;
    for (int k = 0; k < e->n_pieces && left > 0.0; k++) {
        const struct plb_envelope_piece *piece = &e->pieces[k];
        if (!in[piece->pu] || piece->pu == last)
            continue;
        double part = fmin(piece->work, left);
        x[piece->pu] += part;
        left -= part;
    }
    if (last >= 0 && left > 0.0) {
        x[last] = fmin(left, e->cap[last]);
        left -= x[last];
    }
    return left <= 1e-9 * work;
}
