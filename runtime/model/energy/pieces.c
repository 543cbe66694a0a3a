/* Pieces: sorting PUs, and walking along the polyline. O(n log n) for sorting, O(n) for a walk. */
#include "model/energy/pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct plb_piece_key {
    double cost;
    int node, pu;
};

bool plb_pieces_init(struct plb_pieces *p, int most)
{
    size_t room = (size_t)most + 1;
    memset(p, 0, sizeof *p);
    p->pieces = malloc(room * sizeof *p->pieces);
    p->order = malloc(room * sizeof *p->order);
    p->keys = malloc(room * sizeof *p->keys);
    return p->pieces != NULL && p->order != NULL && p->keys != NULL;
}

void plb_pieces_fini(struct plb_pieces *p)
{
    free(p->pieces);
    free(p->order);
    free(p->keys);
}

/* Of equal ones the lower index comes first, so that an answer does not depend on qsort. */
static int by_cost(const void *a, const void *b)
{
    const struct plb_piece_key *p = a, *q = b;
    return p->cost != q->cost ? (p->cost < q->cost ? -1 : 1) : p->pu - q->pu;
}

static int by_node(const void *a, const void *b)
{
    const struct plb_piece_key *p = a, *q = b;
    return p->node != q->node ? (p->node < q->node ? -1 : 1) : by_cost(a, b);
}

static int cheaper(const void *a, const void *b)
{
    const struct plb_piece *p = a, *q = b;
    return p->cost != q->cost ? (p->cost < q->cost ? -1 : 1) : p->first - q->first;
}

static void sort(struct plb_piece_key *keys, const struct plb_power_job *job, const int *from, int *to, int n,
                 int (*compare)(const void *, const void *))
{
    for (int i = 0; i < n; i++) {
        const struct plb_power_pu *pu = &job->pus[from[i]];
        keys[i] = (struct plb_piece_key){pu->dynamic_watts / pu->speed, pu->node, from[i]};
    }
    qsort(keys, (size_t)n, sizeof *keys, compare);
    for (int i = 0; i < n; i++)
        to[i] = keys[i].pu;
}

void plb_pieces_sort(struct plb_pieces *p, const struct plb_power_job *job, int *who, int n)
{
    sort(p->keys, job, who, who, n, by_cost);
}

void plb_pieces_sort_by_speed(struct plb_pieces *p, const struct plb_power_job *job, int *who, int n)
{
    for (int i = 0; i < n; i++)
        p->keys[i] = (struct plb_piece_key){-job->pus[who[i]].speed, 0, who[i]};
    qsort(p->keys, (size_t)n, sizeof *p->keys, by_cost);
    for (int i = 0; i < n; i++)
        who[i] = p->keys[i].pu;
}

/* The next piece: n PUs from index `first` of the order, with these static watts. */
static void add(struct plb_pieces *p, const struct plb_power_job *job, int first, int n, double static_watts)
{
    struct plb_piece piece = {.watts = static_watts, .first = first, .n = n};
    for (int i = first; i < first + n; i++) {
        piece.rate += job->pus[p->order[i]].speed;
        piece.watts += job->pus[p->order[i]].dynamic_watts;
    }
    piece.cost = piece.watts / piece.rate;
    p->pieces[p->n++] = piece;
}

void plb_pieces_single(struct plb_pieces *p, const struct plb_power_job *job, const int *who, int n,
                       double base)
{
    p->n = 0;
    p->base = base;
    p->work = job->work;
    for (int i = 0; i < n; i++) {
        p->order[i] = who[i];
        add(p, job, i, 1, 0.0);
    }
}

/* How many of the node's PUs, from index `first` to before `end`, do a unit with the fewest joules. */
static int best_together(const struct plb_pieces *p, const struct plb_power_job *job, int first, int end)
{
    double rate = 0.0, watts = job->static_watts[job->pus[p->order[first]].node], least = INFINITY;
    int best = 1;
    for (int i = first; i < end; i++) {
        rate += job->pus[p->order[i]].speed;
        watts += job->pus[p->order[i]].dynamic_watts;
        if (watts / rate < least) {
            least = watts / rate;
            best = i - first + 1;
        }
    }
    return best;
}

void plb_pieces_by_node(struct plb_pieces *p, const struct plb_power_job *job, const int *who, int n)
{
    p->n = 0;
    p->base = 0.0;
    p->work = job->work;
    sort(p->keys, job, who, p->order, n, by_node);
    for (int first = 0, end; first < n; first = end) {
        int node = job->pus[p->order[first]].node;
        for (end = first + 1; end < n && job->pus[p->order[end]].node == node;)
            end++;
        int together = best_together(p, job, first, end);
        add(p, job, first, together, job->static_watts[node]);
        for (int i = first + together; i < end; i++)
            add(p, job, i, 1, 0.0);
    }
    qsort(p->pieces, (size_t)p->n, sizeof *p->pieces, cheaper);
}

double plb_objective_value(enum plb_objective objective, double seconds, double joules)
{
    switch (objective) {
    case PLB_OBJECTIVE_TIME: return seconds;
    case PLB_OBJECTIVE_ENERGY: return joules;
    default: return seconds * joules;
    }
}

/* The best of the points in [from, to], walking from the cheapest piece alone to all of them. Pieces up to k
 * end together at `corner`; the line that ends there begins at `before`, where one piece fewer works. */
struct plb_pieces_point plb_pieces_best(const struct plb_pieces *p, enum plb_objective objective, double from,
                                        double to)
{
    double rate = 0.0, watts = p->base, before = INFINITY, least = INFINITY;
    struct plb_pieces_point best = {0};
    for (int k = 0; k < p->n; k++) {
        const struct plb_piece *piece = &p->pieces[k];
        double corner = p->work / (rate + piece->rate);
        /* on the line T runs from the corner to before; E·T is concave or rises there, E is straight */
        double candidates[] = {fmax(corner, from), fmin(before, to)};
        bool last = k == p->n - 1;
        for (int c = 0; c < 2; c++) {
            double t = last && corner > to ? corner : candidates[c];
            if (!(t >= corner && t < before) || (t > to && !last))
                continue; /* where t is before, the line before this one has it */
            double part = t == corner ? t : (p->work - rate * t) / piece->rate;
            double joules = watts * t + piece->watts * part;
            double value = plb_objective_value(objective, t, joules);
            if (value < least || (value == least && joules < best.joules)) {
                least = value;
                best = (struct plb_pieces_point){t, joules, t == corner ? 0.0 : part,
                                                 t == corner ? k + 1 : k};
            }
        }
        rate += piece->rate;
        watts += piece->watts;
        before = corner;
    }
    return best;
}
