/* How a run begins that has a journal. */
#ifndef PLB_JOURNAL_RESUME_MODE_H
#define PLB_JOURNAL_RESUME_MODE_H

enum plb_resume {
    PLB_RESUME_NOT,
    PLB_RESUME_REST,   /* --resume: with the rest of a broken run */
    PLB_RESUME_FAILED, /* --resume-failed: with that, and units that failed, also of a complete run */
};

#endif
