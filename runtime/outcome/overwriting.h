/* Whether a run would overwrite its own files: two outputs with one name, or an output that is also read. */
#ifndef PLB_OUTCOME_OVERWRITING_H
#define PLB_OUTCOME_OVERWRITING_H

#include "config/arguments.h"
#include "job/job.h"

/* Compares all files that the run will write with each other and with those that it reads. Files are compared
 * by device and inode, so that another spelling or a link is seen; pipes and devices are no files. Before the
 * kernel's setup, only the files that settings name are known. After it, those that the kernel has opened or
 * declared itself are too. PLB_OK; or PLB_EINPUT and a sentence. */
int plb_check_overwriting(const struct plb_arguments *arguments, const struct plb_job *job,
                          struct plb_error *err);

#endif
