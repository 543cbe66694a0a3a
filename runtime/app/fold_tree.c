/* Nodes are numbered as in a heap: the root is 1, and the children of k are 2 k and 2 k + 1. A node has the
 * arrays of all buffers in one piece. */
#include "app/fold_tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define ALIGNED 64 /* bytes: arrays begin at multiples of it, as an entry finds them */

struct plb_fold_tree {
    int64_t chunks, leaves; /* leaves: a power of two */
    int n;
    size_t *bytes, *offset, all;
    void **root;
    char **node; /* by number; NULL: not there, or part of its parent */
};

struct plb_fold_tree *plb_fold_tree_new(int64_t chunks, int n, const size_t *bytes, void *const *root)
{
    struct plb_fold_tree *t = plb_alloc(sizeof *t);
    *t = (struct plb_fold_tree){.chunks = chunks, .leaves = 1, .n = n};
    while (t->leaves < chunks)
        t->leaves *= 2;
    t->node = plb_alloc((size_t)(2 * t->leaves) * sizeof *t->node);
    t->bytes = plb_alloc((size_t)n * sizeof *t->bytes);
    t->offset = plb_alloc((size_t)n * sizeof *t->offset);
    t->root = plb_alloc((size_t)n * sizeof *t->root);
    for (int i = 0; i < n; i++) {
        t->bytes[i] = bytes[i];
        t->root[i] = root[i];
        t->offset[i] = t->all;
        t->all += (bytes[i] + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return t;
}

void plb_fold_tree_clear(struct plb_fold_tree *t)
{
    for (int64_t k = 0; k < 2 * t->leaves; k++) {
        free(t->node[k]);
        t->node[k] = NULL;
    }
}

void plb_fold_tree_free(struct plb_fold_tree *t)
{
    if (t == NULL)
        return;
    plb_fold_tree_clear(t);
    free(t->node);
    free(t->bytes);
    free(t->offset);
    free(t->root);
    free(t);
}

/* Folds the right one of two siblings into the left one, which becomes their parent. */
static void join(struct plb_fold_tree *t, int64_t k, plb_fold_nodes_fn fold, const void *context)
{
    char *left = t->node[k & ~(int64_t)1], *right = t->node[k | 1];
    for (int i = 0; i < t->n; i++)
        if (t->bytes[i] > 0)
            fold(context, i, left + t->offset[i], right + t->offset[i]);
    free(right);
    t->node[k] = t->node[k ^ 1] = NULL;
    t->node[k / 2] = left;
}

static void copy_root(const struct plb_fold_tree *t)
{
    for (int i = 0; i < t->n; i++)
        if (t->bytes[i] > 0)
            memcpy(t->root[i], t->node[1] + t->offset[i], t->bytes[i]);
}

void plb_fold_tree_add(struct plb_fold_tree *t, int64_t first, int level, void *const *arrays,
                       plb_fold_nodes_fn fold, const void *context)
{
    int64_t k = (t->leaves + first) >> level;
    t->node[k] = plb_alloc(t->all);
    for (int i = 0; i < t->n; i++)
        if (t->bytes[i] > 0)
            memcpy(t->node[k] + t->offset[i], arrays[i], t->bytes[i]);
    for (; k > 1; k /= 2, level++) {
        bool alone = ((k ^ 1) << level) - t->leaves >= t->chunks; /* its sibling has no chunks */
        if (!alone && t->node[k ^ 1] == NULL)
            return;
        if (!alone) {
            join(t, k, fold, context);
            continue;
        }
        t->node[k / 2] = t->node[k];
        t->node[k] = NULL;
    }
    copy_root(t);
}

void plb_fold_tree_end(struct plb_fold_tree *t, plb_fold_nodes_fn fold, const void *context)
{
    if (t->node[1] != NULL || t->leaves == 1)
        return;
    for (int64_t k = 2 * t->leaves - 1; k > 1; k -= 2) { /* the right one of two siblings */
        if (t->node[k] != NULL && t->node[k - 1] != NULL) {
            join(t, k, fold, context);
        } else if (t->node[k] != NULL || t->node[k - 1] != NULL) {
            t->node[k / 2] = t->node[k] != NULL ? t->node[k] : t->node[k - 1];
            t->node[k] = t->node[k - 1] = NULL;
        }
    }
    if (t->node[1] != NULL)
        copy_root(t);
}
