/* Files that are the memory of buffers, on ranks other than 0: each rank looks whether it sees the same files
 * as rank 0. Where it does, it reads its parts of an input itself, and writes its parts of a result. */
#ifndef PLB_INPUTS_SHARE_FILES_H
#define PLB_INPUTS_SHARE_FILES_H

#include "app/dataset.h"
#include "transport/mpi.h"

/* The application's files that a rank has. A zeroed struct has none. */
struct plb_near_files {
    struct {
        void *data; /* of an input, mapped; or NULL */
        size_t bytes;
        int fd; /* of a result; 0: it is not open */
    } at[PLB_MAX_FILES];
    int n;
};

/* Rank 0 (app not NULL) says which files there are, and the others which of them they have. Then the dataset
 * knows what is in place on this rank, and which results it stores itself. `host`: of this rank. Collective
 * over all ranks, after the dataset was sent. */
void plb_files_share(struct plb_near_files *near, struct plb_dataset *set, const struct plb_app *app,
                     const char *host, struct plb_mpi *mpi);

/* Gives all of it back, when no task runs any more. */
void plb_near_files_fini(struct plb_near_files *near);

#endif
