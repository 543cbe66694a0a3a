/* All that decides the result of a job, as text: a line each for plbrun, the kernel's files, the kernel's
 * settings, the contents of its input files and of its buffers, and the number of units. A line that a value
 * has is written as \n, a backslash as two. Main thread only. */
#ifndef PLB_JOURNAL_IDENTITY_H
#define PLB_JOURNAL_IDENTITY_H

#include "job/job.h"

/* The text of a job that is set up. It reads all inputs: about a second for 8 GB. To be freed. NULL and a
 * sentence where a file cannot be read. */
char *plb_identity_print(const struct plb_job *job, struct plb_error *err);

/* Compares the texts of two jobs. False where they differ: *name is what differs, and *a and *b are its
 * values, "nothing" where one has none. They are cut out of the texts, which change, and last as long. */
bool plb_identity_same(char *text_a, char *text_b, const char **name, const char **a, const char **b);

/* The value that a text has for a name, which it copies; "" where there is none. */
void plb_identity_value(const char *text, const char *name, char *value, size_t size);

#endif
