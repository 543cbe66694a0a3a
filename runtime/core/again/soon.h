/* The fastest PUs of some: of those that are idle, or of those that still have something to do, and when they
 * will have done it. Part of core/again/backup. Not
 * thread-safe. */
#ifndef PLB_CORE_AGAIN_SOON_H
#define PLB_CORE_AGAIN_SOON_H

/* How many are looked at. Larger: a look costs more. Smaller: with many fast PUs that are late themselves a
 * slower one is not found. */
#define PLB_SOON 8

struct plb_soon_pu {
    double left; /* seconds that it needs for what it has */
    double rate; /* work per second */
    int pu;
};

/* A zeroed struct is empty. */
struct plb_soon {
    struct plb_soon_pu at[PLB_SOON]; /* fastest first */
    int n;
};

/* One more, of which the rate is known. */
void plb_soon_add(struct plb_soon *soon, struct plb_soon_pu pu);

/* One that ends what it has, and then this work, within so many seconds; or NULL. */
const struct plb_soon_pu *plb_soon_find(const struct plb_soon *soon, double work, double seconds);

#endif
