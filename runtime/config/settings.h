/* Settings: what the user has set, from the command line, the environment (PLB_SECTION_KEY), the
 * conf file and the defaults, in this order of precedence, each checked and with its origin. */
#ifndef PLB_CONFIG_SETTINGS_H
#define PLB_CONFIG_SETTINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/ini.h"
#include "plb/balancer.h"
#include "plb/option.h"

/* Whether a kernel is named by a path: with a slash, or ending in .so. */
bool plb_kernel_is_path(const char *name);

struct plb_setting {
    char section[32];
    const struct plb_option *option;
    char *text;                 /* NULL: not set; paths are already resolved */
    double number;              /* PLB_INT, PLB_REAL, PLB_FLAG */
    char *origin;               /* "app.conf:12", "command line", "PLB_BALANCE_SOLVER", "default" */
    bool given;                 /* by the user */
};

struct plb_settings {
    struct plb_ini conf;
    char *const *assignments;   /* "section.key=value" of the command line, borrowed */
    int n_assignments;
    struct plb_setting *at;
    int n, capacity;
};

/* Reads the conf file and knows plbrun's own sections [app], [balance] and [cluster]. Nothing is checked yet but the file's form. */
int plb_settings_init(struct plb_settings *settings, const char *conf_file, char *const *assignments,
                      int n_assignments, struct plb_error *err);
void plb_settings_fini(struct plb_settings *settings);

/* Makes more options known in section `name`: those of a kernel, or of a balancer. */
void plb_settings_add(struct plb_settings *settings, const char *name, const struct plb_option *options);

/* Takes over and checks the values of one section, so that [app] can be read before the kernel that
 * it names is known. */
int plb_settings_load(struct plb_settings *settings, const char *section, struct plb_error *err);

/* Complains about anything set in a section or under a key that nobody knows. */
int plb_settings_check_unknown(const struct plb_settings *settings, struct plb_error *err);

/* A known setting; never NULL for names in the tables. */
const struct plb_setting *plb_settings_get(const struct plb_settings *settings, const char *section,
                                           const char *key);

/* The balancer's parameters in the order of its table; the caller frees the array. */
struct plb_param *plb_settings_params(const struct plb_settings *settings,
                                      const struct plb_balancer *balancer);

/* Every setting with its value and origin, for --show-config. */
void plb_settings_show(const struct plb_settings *settings, FILE *out);

#endif
