/* The output of a stream of records: descriptors, and files that grow. Bytes are written block by block; the
 * first failure ends it. Functions of one object belong to one thread. */
#ifndef PLB_APP_STREAM_OUTPUT_H
#define PLB_APP_STREAM_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that are written at a time, or between two marks. Larger: more memory. Smaller: more system calls. */
#define PLB_STREAM_BLOCK 65536

/* The way of one part of the records. */
struct plb_record_way {
    int part, fd;
    char *path, *head; /* head: of a file that is opened for the first record; else NULL */
};

struct plb_stream_output {
    struct plb_record_way *ways;
    int n_ways, most;
    bool lags;   /* a way is no file: who reads it may end before it has read what was written */
    int failure; /* an errno; 0: all is well */
    const struct plb_record_way *failed; /* NULL: the file from which bytes come */
    char *block;
    size_t filled, unmarked; /* of the block; bytes written since its owner set this to 0 */
    int64_t written;         /* bytes in all */
    struct plb_record_way *way;
};

void plb_stream_output_init(struct plb_stream_output *output, int most);
void plb_stream_output_fini(struct plb_stream_output *output);

/* As plb_record_stream_add and plb_record_stream_grow. */
bool plb_stream_output_add(struct plb_stream_output *output, int part, const char *path);
void plb_stream_output_grow(struct plb_stream_output *output, int part, const char *path, const char *head);

/* Copies bytes of a file to a way. Some may wait in the block, until it is flushed. */
void plb_stream_output_copy(struct plb_stream_output *output, struct plb_record_way *way, int file,
                            int64_t at, int64_t bytes);
void plb_stream_output_flush(struct plb_stream_output *output);

/* Bytes that were written to pipes and that nobody has read yet. Terminals do not tell. */
int64_t plb_stream_output_unread(const struct plb_stream_output *output);

#endif
