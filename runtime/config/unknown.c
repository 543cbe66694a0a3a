/* A name that nobody knows is most often a known one, misspelt. So the sentence names the nearest. */
#include "config/unknown.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "config/nearest.h"

extern char **environ;

/* PLB_OK where a section, and a key in it, are known; else PLB_EINPUT and a sentence. key NULL: the section
 * alone is in question. */
static int known(const struct plb_settings *s, const char *section, const char *key, const char *origin,
                 struct plb_error *err)
{
    const char *sections[256], *keys[256];
    int n_sections = 0, n_keys = 0;
    bool section_known = false;
    for (int i = 0; i < s->n && i < 255; i++) {
        if (strcmp(s->at[i].section, section) == 0) {
            section_known = true;
            keys[n_keys++] = s->at[i].option->name;
        }
        if (n_sections == 0 || strcmp(sections[n_sections - 1], s->at[i].section) != 0)
            sections[n_sections++] = s->at[i].section;
    }
    keys[n_keys] = sections[n_sections] = NULL;
    if (section_known && (key == NULL || plb_settings_get(s, section, key) != NULL))
        return PLB_OK;
    if (section[0] == '\0')
        return plb_fail(err, PLB_EINPUT, "%s: %s stands before the first [section]; put it under one", origin,
                        key);
    const char *near = section_known ? plb_nearest(key, keys) : plb_nearest(section, sections);
    char known_names[400] = "";
    for (const char *const *k = section_known ? keys : sections; *k != NULL; k++)
        snprintf(known_names + strlen(known_names), sizeof known_names - strlen(known_names), "%s%s",
                 known_names[0] ? ", " : "", *k);
    if (section_known && near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: unknown key '%s' in [%s]; did you mean '%s'?", origin, key,
                        section, near);
    if (section_known)
        return plb_fail(err, PLB_EINPUT, "%s: unknown key '%s' in [%s], which knows: %s", origin, key,
                        section, known_names);
    if (strcmp(section, "command") == 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: --run, --range and similar options, and [command], belong to the kernel "
                        "`command`; this job knows: %s",
                        origin, known_names);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: unknown section [%s]; did you mean [%s]?", origin, section,
                        near);
    return plb_fail(err, PLB_EINPUT, "%s: unknown section [%s]; this job knows: %s", origin, section,
                    known_names);
}

/* Whether a variable is that of a setting; *section: a section whose variables begin so, or NULL. */
static bool sets_something(const struct plb_settings *s, const char *variable, const char **section)
{
    char prefix[160], name[160];
    *section = NULL;
    for (int i = 0; i < s->n; i++) {
        plb_settings_variable(s->at[i].section, "", prefix);
        plb_settings_variable(s->at[i].section, s->at[i].option->name, name);
        if (strncmp(variable, prefix, strlen(prefix)) == 0)
            *section = s->at[i].section;
        if (strcmp(name, variable) == 0)
            return true;
    }
    return false;
}

/* The variable of a section's key that is nearest to this one: into `likely`, "" where none is near. */
static void find_likely(const struct plb_settings *s, const char *section, const char *variable,
                        char likely[160])
{
    char name[160];
    plb_settings_variable(section, "", name);
    size_t begin = strlen(name);
    likely[0] = '\0';
    for (int i = 0; i < s->n; i++) {
        plb_settings_variable(section, s->at[i].option->name, name);
        const char *const keys[] = {name + begin, likely[0] != '\0' ? likely + begin : NULL, NULL};
        if (strcmp(s->at[i].section, section) == 0 && plb_nearest(variable + begin, keys) == keys[0])
            memcpy(likely, name, sizeof name);
    }
}

/* A variable PLB_SECTION_… of a known section that is no setting may be misspelt, or somebody else's, such as
 * PLB_CLUSTER_NAME of a site: a warning. Other PLB_… variables are somebody else's for sure. */
static void warn_of_variables(const struct plb_settings *s)
{
    char variable[150], likely[160];
    const char *section;
    for (char **e = environ; *e != NULL; e++) {
        snprintf(variable, sizeof variable, "%.*s", (int)strcspn(*e, "="), *e);
        if (strncmp(variable, "PLB_", 4) != 0 || strcmp(variable, PLB_KERNEL_FOLDERS_VARIABLE) == 0
            || sets_something(s, variable, &section) || section == NULL)
            continue;
        find_likely(s, section, variable, likely);
        plb_log(PLB_LOG_WARNING, "the environment variable %s is not a setting and is ignored; %s%s%s",
                variable, likely[0] != '\0' ? "did you mean " : "--show-config lists all settings", likely,
                likely[0] != '\0' ? "?" : "");
    }
}

int plb_settings_no_kernel(const struct plb_settings *s, struct plb_error *err)
{
    static const char *const app[] = {"app", NULL}, *const kernel[] = {"kernel", NULL};
    char origin[PATH_MAX + 32];
    for (int i = 0; i < s->conf.n; i++) {
        const struct plb_ini_entry *e = &s->conf.at[i];
        if (plb_nearest(e->key, kernel) == NULL
            || (e->section[0] != '\0' && plb_nearest(e->section, app) == NULL))
            continue;
        snprintf(origin, sizeof origin, "%s:%d", s->conf.file, e->line);
        if (known(s, e->section, e->key, origin, err) != PLB_OK)
            return err->status;
    }
    return plb_fail(err, PLB_EINPUT, "%s: no kernel is named; add 'kernel = NAME' under [app]", s->conf.file);
}

/* A word of the command line that names no section. Its key may be a known one. */
static int refuse_word(const struct plb_settings *s, const char *word, struct plb_error *err)
{
    for (int i = 0; i < s->n; i++) {
        const char *key = s->at[i].option->name;
        size_t length = strlen(key);
        if (strncmp(word, key, length) == 0 && word[length] == '=')
            return plb_fail(err, PLB_EINPUT,
                            "command line: '%s' is not section.key=value; did you mean %s.%s?", word,
                            s->at[i].section, word);
    }
    return plb_fail(err, PLB_EINPUT, "command line: '%s' is not section.key=value", word);
}

int plb_settings_check_unknown(const struct plb_settings *s, struct plb_error *err)
{
    char origin[PATH_MAX + 32], section[64], key[64];
    const char *value;
    for (int i = 0; i < s->conf.n_sections; i++) {
        snprintf(origin, sizeof origin, "%s:%d", s->conf.file, s->conf.sections[i].line);
        if (known(s, s->conf.sections[i].name, NULL, origin, err) != PLB_OK)
            return err->status;
    }
    for (int i = 0; i < s->conf.n; i++) {
        const struct plb_ini_entry *e = &s->conf.at[i];
        snprintf(origin, sizeof origin, "%s:%d", s->conf.file, e->line);
        if (known(s, e->section, e->key, origin, err) != PLB_OK)
            return err->status;
    }
    for (int i = 0; i < s->n_assignments; i++) {
        if (!plb_settings_split(s->assignments[i], section, key, &value))
            return refuse_word(s, s->assignments[i], err);
        if (known(s, section, key, "command line", err) != PLB_OK)
            return err->status;
    }
    warn_of_variables(s);
    return PLB_OK;
}
