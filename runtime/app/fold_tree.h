/* The tree of chunks on rank 0 (app/chunks.h): arrays that wait for their sibling. Memory: at worst the
 * arrays of every second chunk. Communication thread only. */
#ifndef PLB_APP_FOLD_TREE_H
#define PLB_APP_FOLD_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct plb_fold_tree;

/* For so many chunks, and n buffers: bytes[i] of the array of buffer i, or 0; root[i]: where that of the root
 * goes. Copied. */
struct plb_fold_tree *plb_fold_tree_new(int64_t chunks, int n, const size_t *bytes, void *const *root);
void plb_fold_tree_free(struct plb_fold_tree *tree);

/* Forgets all arrays. */
void plb_fold_tree_clear(struct plb_fold_tree *tree);

/* Folds an array of buffer `buffer`, which stands right of `into`. */
typedef void (*plb_fold_nodes_fn)(const void *context, int buffer, void *into, const void *from);

/* Adds a node, which is not there yet, and copies its arrays. Calls `fold` for each two that become one. The
 * last one is copied to the root. */
void plb_fold_tree_add(struct plb_fold_tree *tree, int64_t first, int level, void *const *arrays,
                       plb_fold_nodes_fn fold, const void *context);

/* The pass has ended, and some chunks have no arrays, since they were set aside: makes the root of those that
 * are there. Does nothing where the root is made, or no array waits. */
void plb_fold_tree_end(struct plb_fold_tree *tree, plb_fold_nodes_fn fold, const void *context);

#endif
