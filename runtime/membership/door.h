/* How a rank that starts later finds a running job: a file that rank 0 writes, with the addresses of its
 * host, a port and a secret. It can be read by the user alone, and is removed at the end. Communication
 * thread only. */
#ifndef PLB_MEMBERSHIP_DOOR_H
#define PLB_MEMBERSHIP_DOOR_H

#include <stdbool.h>

#include "base/error.h"

#define PLB_DOOR_MAGIC "plbjoin"
#define PLB_DOOR_HEADING "plbrun job to join" /* the first line of the file */

/* Says who comes; plain data. */
struct plb_door_ask {
    char magic[8];
    char secret[40];
    char version[24]; /* of plbrun */
    unsigned protocol;
    char host[64];
};

/* Says what becomes of that; plain data. */
struct plb_door_answer {
    int status; /* PLB_OK; else `why` says why not */
    int rank, n_ranks;
    char why[200];
};

struct plb_door;

/* Rank 0: listens, and writes the file, which is whole or not there. NULL: err has a sentence that names
 * where the path comes from. */
struct plb_door *plb_door_open(const char *path, const char *origin, struct plb_error *err);

/* The file is removed, and nobody comes any more. */
void plb_door_close(struct plb_door *door);

/* The socket of the next one who may come in, and which host that is on; negative: there is none. One who
 * does not know the secret, or runs another plbrun, is told why not. plb_door_answer is due. */
int plb_door_look(struct plb_door *door, char host[64]);

/* Tells one that it may come in, with these numbers; or why not, and its socket is closed. */
void plb_door_answer(int socket, const struct plb_door_answer *answer);

#endif
