/* One setting: an option, its value, and where the value came from. */
#ifndef PLB_CONFIG_SETTING_H
#define PLB_CONFIG_SETTING_H

#include <stdbool.h>

#include "base/error.h"
#include "plb/option.h"

struct plb_setting {
    char section[32];
    const struct plb_option *option;
    char *text;    /* NULL: not set; paths are already resolved */
    double number; /* PLB_INT, PLB_REAL, PLB_FLAG; PLB_TEXT: the index of the choice */
    char *origin;  /* "app.conf:12", "command line", "PLB_BALANCE_SOLVER", "default" */
    bool given;    /* by the user */
    bool in_conf;  /* in the conf file, so that a relative path begins at that file's folder */
};

/* Checks the text against the option and sets the number. PLB_EINPUT and a sentence where the value is
 * wrong. */
int plb_setting_check(struct plb_setting *setting, struct plb_error *err);

#endif
