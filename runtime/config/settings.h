/* Settings: what the user has set. The command line takes precedence, then the environment (PLB_SECTION_KEY),
 * then the conf file, then the defaults. Each value is checked and knows its origin.
 *
 * Whoever uses settings adds tables of options, section by section, loads the sections, and reads the values
 * once into typed structs (job/job_settings.h). Nobody compares their texts. Not thread-safe. */
#ifndef PLB_CONFIG_SETTINGS_H
#define PLB_CONFIG_SETTINGS_H

#include <stdio.h>

#include "config/ini.h"
#include "config/setting.h"
#include "plb/balancer.h"

/* The variable that is no setting: folders with kernels, with colons between them (job/kernel_search.h). */
#define PLB_KERNEL_FOLDERS_VARIABLE "PLB_KERNEL_PATH"

struct plb_settings {
    struct plb_ini conf;
    char *const *assignments; /* "section.key=value" of the command line, borrowed */
    int n_assignments;
    struct plb_setting *at; /* the settings of a section are neighbours */
    int n, capacity;
};

/* Reads the conf file (NULL: there is none) and checks its form. No option is known yet. The assignments are
 * borrowed until fini. PLB_OK, or PLB_EINPUT and a sentence. */
int plb_settings_init(struct plb_settings *settings, const char *conf_file, char *const *assignments,
                      int n_assignments, struct plb_error *err);
void plb_settings_fini(struct plb_settings *settings);

/* Makes a table of options known in a section. A key that is known already keeps its first option. The table
 * is borrowed until fini. Pointers to settings become invalid. */
void plb_settings_add(struct plb_settings *settings, const char *section, const struct plb_option *options);

/* Takes over and checks the values of one section. Sections are loaded one by one, so that [app] can name the
 * kernel whose table is then added. PLB_OK, or PLB_EINPUT and a sentence. */
int plb_settings_load(struct plb_settings *settings, const char *section, struct plb_error *err);

/* A known setting, owned by the settings; NULL where no table has that name. */
struct plb_setting *plb_settings_get(const struct plb_settings *settings, const char *section,
                                     const char *key);

/* The number of a known setting: see struct plb_setting. */
double plb_settings_number(const struct plb_settings *settings, const char *section, const char *key);

/* Makes a relative path relative to the conf file, if the conf file is where it was set. */
void plb_settings_resolve(const struct plb_settings *settings, struct plb_setting *setting);

/* The balancer's parameters in the order of its table; the caller frees the array, which borrows the
 * texts. */
struct plb_param *plb_settings_params(const struct plb_settings *settings,
                                      const struct plb_balancer *balancer);

/* Prints every setting with its value and origin, for --show-config. */
void plb_settings_show(const struct plb_settings *settings, FILE *out);

/* Splits "section.key=value"; false where the text has another form. *value points into it. */
bool plb_settings_split(const char *assignment, char section[64], char key[64], const char **value);

/* The name of the environment variable that sets a key: PLB_SECTION_KEY. */
void plb_settings_variable(const char *section, const char *key, char name[160]);

#endif
