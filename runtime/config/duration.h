/* Times as users type them: 90s, 30m, 2h, 1.5d, 1h30m, 1:30:00, 2-12:00:00; a bare number counts seconds.
 * Pure function; thread-safe. */
#ifndef PLB_CONFIG_DURATION_H
#define PLB_CONFIG_DURATION_H

#include <stdbool.h>

/* The forms, for sentences. */
#define PLB_DURATION_FORMS "90s, 30m, 2h, 1d or 1:30:00"

/* True with *seconds set; or false, where the text is something else. */
bool plb_parse_duration(const char *text, double *seconds);

#endif
