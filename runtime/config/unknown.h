/* Settings that nobody knows: in the conf file, in the environment, on the command line. */
#ifndef PLB_CONFIG_UNKNOWN_H
#define PLB_CONFIG_UNKNOWN_H

#include "config/settings.h"

/* Complains about a section or key that is set and that no table names, and suggests the nearest name. Warns
 * of a variable of a known section that is no setting. All tables have been added. PLB_OK, or PLB_EINPUT and
 * a sentence. */
int plb_settings_check_unknown(const struct plb_settings *settings, struct plb_error *err);

/* Complains that no kernel is named. A line that is probably meant to name it is misspelt, or in no section:
 * then the sentence is of that line. PLB_EINPUT. */
int plb_settings_no_kernel(const struct plb_settings *settings, struct plb_error *err);

#endif
