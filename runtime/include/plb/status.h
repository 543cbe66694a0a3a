/* Statuses: what every plbrun function that can fail returns, and what the program exits with.
 *
 * A function that returns another status than PLB_OK has already described the failure in one sentence: in a
 * struct plb_error inside the runtime, with plb_app_error in a kernel. The caller only passes the status on.
 * Constants and pure functions; thread-safe. */
#ifndef PLB_STATUS_H
#define PLB_STATUS_H

/* X(name, exit status, meaning) */
#define PLB_STATUS_MAP(X) \
    X(OK, 0, "done") \
    X(EFAILED, 1, "the run failed") \
    X(EINPUT, 2, "wrong usage, configuration or input") \
    X(EVERIFY, 3, "the result differs from the reference")

enum plb_status {
#define PLB_STATUS_ENUM(name, number, text) PLB_##name = (number),
    PLB_STATUS_MAP(PLB_STATUS_ENUM)
#undef PLB_STATUS_ENUM
};

/* The meaning of a status as text. Never NULL; static storage. */
static inline const char *plb_status_text(int status)
{
    switch (status) {
#define PLB_STATUS_CASE(name, number, text) \
    case number: return text;
        PLB_STATUS_MAP(PLB_STATUS_CASE)
#undef PLB_STATUS_CASE
    default: return "unknown status";
    }
}

#endif
