/* Several vectors of points make their steps side by side, so that steps do not wait for each other. A vector
 * whose points have all ended makes room for the next one. |z| grows once it is above 2, up to infinity, and
 * then to no number, which compares as above 2. So a point that is inside after some steps was inside during
 * all of them: while no point escapes, steps are not looked at one by one. Where one has escaped, they are
 * computed a second time, and counted. */
#include "escape.h"

#include <string.h>

/* Steps that are counted between two looks at which points have ended. More: steps for nothing. Fewer: more
 * looks. */
#define COUNTED 8
/* Steps between two looks at whether a point has escaped. More: more steps are repeated. */
#define UNCOUNTED 64

#define WIDE 8    /* numbers of a vector of AVX-512; others take several */
#define VECTORS 4 /* side by side. Fewer: steps wait. More: registers do not suffice */

typedef double reals __attribute__((vector_size(WIDE * sizeof(double))));
typedef int64_t wholes __attribute__((vector_size(WIDE * sizeof(int64_t))));

/* Vectors of points, some of them at work. */
struct slots {
    reals x[VECTORS], y[VECTORS], re[VECTORS], im; /* z and c */
    wholes n[VECTORS], inside[VECTORS];            /* steps that count; -1 for points that are inside */
    int64_t done[VECTORS];                         /* steps of the vector */
    int64_t place[VECTORS];                        /* its number among all, or -1: no work */
};

#define INLINE static inline __attribute__((always_inline))

INLINE bool any(const wholes *mask)
{
    int64_t all = 0;
    for (int l = 0; l < WIDE; l++)
        all |= (*mask)[l];
    return all != 0;
}

INLINE void step(reals *x, reals *y, const reals *re, const reals *im)
{
    reals xx = *x * *x, yy = *y * *y, xy = *x * *y;
    *x = xx - yy + *re;
    *y = xy + xy + *im;
}

/* -1 for points that are inside. */
INLINE void look(const reals *x, const reals *y, wholes *inside)
{
    *inside = (wholes)(*x * *x + *y * *y <= 4.0);
}

/* Makes steps if no point escapes; else false, and nothing has happened. */
INLINE bool hurry(struct slots *s, int64_t steps)
{
    const reals im = s->im;
    reals x[VECTORS], y[VECTORS], re[VECTORS];
    wholes escaped = {0};
    for (int v = 0; v < VECTORS; v++) {
        x[v] = s->x[v];
        y[v] = s->y[v];
        re[v] = s->re[v];
    }
    for (int64_t k = 0; k < steps; k++)
        for (int v = 0; v < VECTORS; v++)
            step(&x[v], &y[v], &re[v], &im);
    for (int v = 0; v < VECTORS; v++) {
        wholes inside;
        look(&x[v], &y[v], &inside);
        escaped |= s->inside[v] & ~inside;
    }
    if (any(&escaped))
        return false;
    for (int v = 0; v < VECTORS; v++) {
        s->x[v] = x[v];
        s->y[v] = y[v];
        s->n[v] += s->inside[v] & steps;
    }
    return true;
}

INLINE void count(struct slots *s, int64_t steps)
{
    const reals im = s->im;
    reals x[VECTORS], y[VECTORS], re[VECTORS];
    wholes n[VECTORS];
    for (int v = 0; v < VECTORS; v++) {
        x[v] = s->x[v];
        y[v] = s->y[v];
        re[v] = s->re[v];
        n[v] = s->n[v];
    }
    for (int64_t k = 0; k < steps; k++)
        for (int v = 0; v < VECTORS; v++) {
            step(&x[v], &y[v], &re[v], &im);
            wholes inside;
            look(&x[v], &y[v], &inside);
            n[v] -= inside;
        }
    for (int v = 0; v < VECTORS; v++) {
        s->x[v] = x[v];
        s->y[v] = y[v];
        s->n[v] = n[v];
    }
}

/* The next points for a slot, if there are any. */
INLINE void fill(struct slots *s, int v, const double *re, int64_t vectors, int64_t *next)
{
    s->x[v] = s->y[v] = s->re[v] = (reals){0.0};
    s->n[v] = (wholes){0};
    s->done[v] = 0;
    s->place[v] = *next < vectors ? (*next)++ : -1;
    s->inside[v] = s->place[v] < 0 ? (wholes){0} : ~(wholes){0};
    if (s->place[v] >= 0)
        memcpy(&s->re[v], re + s->place[v] * WIDE, sizeof s->re[v]);
}

PLB_CLONES static void escape_all(const double *re, double im, int64_t vectors, int64_t depth,
                                  int64_t *counts)
{
    struct slots s;
    int64_t next = 0, ended = 0;
    s.im = (reals){0.0} + im;
    for (int v = 0; v < VECTORS; v++)
        fill(&s, v, re, vectors, &next);
    for (bool calm = false; ended < vectors;) {
        int64_t steps = calm ? UNCOUNTED : COUNTED;
        for (int v = 0; v < VECTORS; v++)
            if (s.place[v] >= 0 && depth - s.done[v] < steps)
                steps = depth - s.done[v];
        bool made = calm && hurry(&s, steps);
        if (!made)
            count(&s, steps);
        calm = true;
        for (int v = 0; v < VECTORS; v++) {
            s.done[v] += steps;
            wholes inside = s.place[v] < 0 ? (wholes){0} : (wholes)(s.n[v] == s.done[v]);
            const wholes escaped = inside ^ s.inside[v];
            calm = calm && (made || !any(&escaped));
            s.inside[v] = inside;
            if (s.place[v] < 0 || (s.done[v] < depth && any(&inside)))
                continue;
            memcpy(counts + s.place[v] * WIDE, &s.n[v], sizeof s.n[v]);
            ended++;
            fill(&s, v, re, vectors, &next);
            calm = calm && s.place[v] < 0;
        }
    }
}

void escape(const struct window *w, int64_t row, int64_t column, int64_t n, float *steps)
{
    double re[POINTS] = {0.0};
    int64_t counts[POINTS];
    const int64_t vectors = (n + WIDE - 1) / WIDE;
    for (int64_t i = 0; i < vectors * WIDE; i++)
        re[i] = w->left + w->pixel * ((double)(column + (i < n ? i : n - 1)) + 0.5);
    escape_all(re, w->top - w->pixel * ((double)row + 0.5), vectors, w->depth, counts);
    for (int64_t i = 0; i < n; i++)
        steps[i] = (float)counts[i];
}
