/* One table of settings, filled from four places. */
#include "config/settings.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/nearest.h"


extern char **environ;

static const struct plb_option app_options[] = {
    {"kernel", PLB_TEXT, NULL, 0, 0, NULL, "name of a kernel, or path of a .so"},
    {0},
};

static const struct plb_option balance_options[] = {
    {"balancer", PLB_TEXT, "plb-hac", 0, 0, NULL, "who decides the block sizes (--balancer help)"},
    {"migration", PLB_FLAG, "on", 0, 0, NULL, "idle PUs and nodes take queued work from others when nothing is left to grant"},
    {"migration_threshold", PLB_REAL, "1", 0, 1e15, NULL, "work, in units of average cost, below which nothing moves between nodes"},
    {"migration_victim", PLB_TEXT, "most-remaining", 0, 0, "most-remaining|first|random", "whom an idle node asks; first is Li's"},
    {"grain", PLB_INT, "0", 0, 1e15, NULL, "units per task at most; 0 = as the data and the end of the run ask for"},
    {"profile", PLB_TEXT, "off", 0, 0, "off|read|write|on", "start from what earlier runs measured (read), keep what this one does (write), both (on)"},
    {0},
};

static const struct plb_option cluster_options[] = {
    {"file", PLB_INPUT_FILE, NULL, 0, 0, NULL, ".cluster file: emulate its PUs, rank i as node i"},
    {"pus", PLB_TEXT, "auto", 0, 0, "auto|cpu|gpu", "what computes: CPUs and GPUs, CPUs alone, GPUs alone"},
    {"master_only", PLB_FLAG, "no", 0, 0, NULL, "rank 0 only leads and computes nothing"},
    {0},
};

bool plb_kernel_is_path(const char *name)
{
    size_t length = strlen(name);
    return strchr(name, '/') != NULL || (length > 3 && strcmp(name + length - 3, ".so") == 0);
}

static struct plb_setting *find(const struct plb_settings *s, const char *section, const char *key)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].section, section) == 0 && strcmp(s->at[i].option->name, key) == 0)
            return &s->at[i];
    return NULL;
}

static bool find_section(const struct plb_settings *s, const char *section)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].section, section) == 0)
            return true;
    return false;
}

void plb_settings_add(struct plb_settings *s, const char *name, const struct plb_option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        if (find(s, name, options->name) != NULL)
            continue; /* balancers may share a key */
        if (s->n == s->capacity) {
            s->capacity = s->capacity > 0 ? 2 * s->capacity : 32;
            s->at = plb_grow(s->at, (size_t)s->capacity * sizeof *s->at);
        }
        int at = s->n; /* behind the last one of its section */
        while (at > 0 && find_section(s, name) && strcmp(s->at[at - 1].section, name) != 0)
            at--;
        struct plb_setting *t = &s->at[at];
        memmove(t + 1, t, (size_t)(s->n++ - at) * sizeof *t);
        *t = (struct plb_setting){.option = options};
        snprintf(t->section, sizeof t->section, "%s", name);
    }
}

int plb_settings_init(struct plb_settings *s, const char *conf_file, char *const *assignments,
                      int n_assignments, struct plb_error *err)
{
    *s = (struct plb_settings){.assignments = assignments, .n_assignments = n_assignments};
    if (plb_ini_read(conf_file, &s->conf, err) != PLB_OK)
        return err->status;
    plb_settings_add(s, "app", app_options);
    plb_settings_add(s, "balance", balance_options);
    plb_settings_add(s, "cluster", cluster_options);
    return PLB_OK;
}

void plb_settings_fini(struct plb_settings *s)
{
    for (int i = 0; i < s->n; i++) {
        free(s->at[i].text);
        free(s->at[i].origin);
    }
    free(s->at);
    plb_ini_fini(&s->conf);
    *s = (struct plb_settings){0};
}

/* "section.key=value" into its parts; false where it has another form. */
static bool split(const char *assignment, char section[64], char key[64], const char **value)
{
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    if (dot == NULL || equals == NULL || dot > equals || dot - assignment > 63 || equals - dot > 64)
        return false;
    snprintf(section, 64, "%.*s", (int)(dot - assignment), assignment);
    snprintf(key, 64, "%.*s", (int)(equals - dot - 1), dot + 1);
    *value = equals + 1;
    return true;
}

static void variable(const char *section, const char *key, char name[160])
{
    snprintf(name, 160, "PLB_%s_%s", section, key);
    for (char *c = name; *c != '\0'; c++)
        *c = *c == '-' || *c == '.' ? '_' : (char)toupper((unsigned char)*c);
}

static void set(struct plb_setting *t, const char *value, const char *origin, bool given)
{
    free(t->text);
    free(t->origin);
    t->text = strdup(value);
    t->origin = strdup(origin);
    t->given = given;
}

/* A relative path in the conf file is relative to that file. */
static void resolve(struct plb_setting *t, const char *conf_file)
{
    if (t->text[0] == '/' || t->text[0] == '\0')
        return;
    char copy[PATH_MAX], path[2 * PATH_MAX];
    snprintf(copy, sizeof copy, "%s", conf_file);
    snprintf(path, sizeof path, "%s/%s", dirname(copy), t->text);
    free(t->text);
    t->text = strdup(strncmp(path, "./", 2) == 0 ? path + 2 : path);
}

static int check_number(const struct plb_setting *t, double value, struct plb_error *err)
{
    const struct plb_option *o = t->option;
    if ((o->min != 0.0 || o->max != 0.0) && (value < o->min || value > o->max))
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is out of range; it must be between %.15g and %.15g (%s)",
                        t->origin, o->name, t->text, o->min, o->max, o->help);
    return PLB_OK;
}

static int check_output(const struct plb_setting *t, struct plb_error *err)
{
    char copy[PATH_MAX];
    struct stat st;
    snprintf(copy, sizeof copy, "%s", t->text);
    size_t length = strlen(t->text);
    if (length == 0)
        return plb_fail(err, PLB_EINPUT, "%s: %s is empty; name a file", t->origin, t->option->name);
    if (t->text[length - 1] == '/')
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is a folder; name a file in it", t->origin, t->option->name, t->text);
    const char *folder = dirname(copy);
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s: the folder of %s = %s does not exist; create %s", t->origin, t->option->name, t->text, folder);
    if (access(folder, W_OK | X_OK) != 0)
        return plb_fail(err, PLB_EINPUT, "%s: the folder %s of %s cannot be written; choose another or change its permissions", t->origin, folder, t->option->name);
    if (stat(t->text, &st) == 0 && S_ISDIR(st.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is a folder; name a file in it", t->origin, t->option->name, t->text);
    return PLB_OK;
}

static int check_choice(const struct plb_setting *t, struct plb_error *err)
{
    if (t->option->choices == NULL)
        return PLB_OK;
    char copy[256];
    const char *names[32];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", t->option->choices);
    for (char *save, *word = strtok_r(copy, "|", &save); word != NULL && n < 31; word = strtok_r(NULL, "|", &save)) {
        if (strcmp(word, t->text) == 0)
            return PLB_OK;
        names[n++] = word;
    }
    names[n] = NULL;
    const char *near = plb_nearest(t->text, names);
    return plb_fail(err, PLB_EINPUT, "%s: %s = %s is not one of %s%s%s%s", t->origin, t->option->name, t->text,
                    t->option->choices, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static int check(struct plb_setting *t, struct plb_error *err)
{
    const char *expected = NULL;
    switch (t->option->type) {
    case PLB_INT: expected = plb_parse_int(t->text, &t->number) ? NULL : "a whole number"; break;
    case PLB_REAL: expected = plb_parse_real(t->text, &t->number) ? NULL : "a number"; break;
    case PLB_FLAG: expected = plb_parse_flag(t->text, &t->number) ? NULL : "yes or no"; break;
    case PLB_TEXT: return check_choice(t, err);
    case PLB_OUTPUT_FILE: return check_output(t, err);
    case PLB_INPUT_FILE:
        if (access(t->text, R_OK) != 0)
            return plb_fail(err, PLB_EINPUT, "%s: cannot read %s = %s: %s; correct the path", t->origin, t->option->name, t->text, strerror(errno));
        return PLB_OK;
    }
    if (expected != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is not %s (%s)", t->origin, t->option->name, t->text, expected, t->option->help);
    return check_number(t, t->number, err);
}

/* The value of one setting from the place that precedes, and its origin. */
static int take(struct plb_settings *s, struct plb_setting *t, struct plb_error *err)
{
    char name[160], origin[PATH_MAX + 32], section[64], key[64];
    const char *value, *wanted = t->option->name;
    bool is_path = t->option->type == PLB_INPUT_FILE || t->option->type == PLB_OUTPUT_FILE;
    int line = 0;
    if (t->option->fallback != NULL)
        set(t, t->option->fallback, "default", false);
    for (int i = 0; i < s->conf.n; i++) {
        const struct plb_ini_entry *e = &s->conf.at[i];
        if (strcmp(e->section, t->section) != 0 || strcmp(e->key, wanted) != 0)
            continue;
        if (line > 0)
            return plb_fail(err, PLB_EINPUT, "%s:%d: %s is set again; it is already set in line %d", s->conf.file, e->line, wanted, line);
        line = e->line;
        snprintf(origin, sizeof origin, "%s:%d", s->conf.file, line);
        set(t, e->value, origin, true);
        if (is_path || (strcmp(wanted, "kernel") == 0 && plb_kernel_is_path(e->value)))
            resolve(t, s->conf.file);
    }
    variable(t->section, wanted, name);
    if (getenv(name) != NULL)
        set(t, getenv(name), name, true);
    for (int i = 0; i < s->n_assignments; i++)
        if (split(s->assignments[i], section, key, &value) && strcmp(section, t->section) == 0 && strcmp(key, wanted) == 0)
            set(t, value, "command line", true);
    return t->text != NULL ? check(t, err) : PLB_OK;
}

int plb_settings_load(struct plb_settings *s, const char *section, struct plb_error *err)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].section, section) == 0 && take(s, &s->at[i], err) != PLB_OK)
            return err->status;
    return PLB_OK;
}

/* One sentence for a section or key that nobody knows; PLB_OK where it is known. key NULL: only the
 * section is in question. */
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
    if (section_known && (key == NULL || find(s, section, key) != NULL))
        return PLB_OK;
    if (section[0] == '\0')
        return plb_fail(err, PLB_EINPUT, "%s: %s stands before the first [section]; put it under one", origin, key);
    const char *near = section_known ? plb_nearest(key, keys) : plb_nearest(section, sections);
    char known_names[400] = "";
    for (const char *const *k = section_known ? keys : sections; *k != NULL; k++)
        snprintf(known_names + strlen(known_names), sizeof known_names - strlen(known_names), "%s%s",
                 known_names[0] ? ", " : "", *k);
    if (section_known && near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: unknown key '%s' in [%s]; did you mean '%s'?", origin, key, section, near);
    if (section_known)
        return plb_fail(err, PLB_EINPUT, "%s: unknown key '%s' in [%s], which knows: %s", origin, key, section, known_names);
    if (near != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: unknown section [%s]; did you mean [%s]?", origin, section, near);
    return plb_fail(err, PLB_EINPUT, "%s: unknown section [%s]; this job knows: %s", origin, section, known_names);
}

/* A variable that begins like a section's must be one of its keys. */
static int check_variables(const struct plb_settings *s, struct plb_error *err)
{
    char prefix[160], name[160];
    for (char **e = environ; *e != NULL; e++) {
        if (strncmp(*e, "PLB_", 4) != 0)
            continue;
        size_t length = strcspn(*e, "=");
        bool ours = false, matched = false;
        for (int i = 0; i < s->n; i++) {
            variable(s->at[i].section, "", prefix);
            variable(s->at[i].section, s->at[i].option->name, name);
            ours = ours || strncmp(*e, prefix, strlen(prefix)) == 0;
            matched = matched || (strlen(name) == length && strncmp(*e, name, length) == 0);
        }
        if (ours && !matched)
            return plb_fail(err, PLB_EINPUT, "environment: %.*s is no setting; --show-config lists all, as section.key for PLB_SECTION_KEY", (int)length, *e);
    }
    return PLB_OK;
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
        if (!split(s->assignments[i], section, key, &value))
            return plb_fail(err, PLB_EINPUT, "command line: '%s' is not section.key=value", s->assignments[i]);
        if (known(s, section, key, "command line", err) != PLB_OK)
            return err->status;
    }
    return check_variables(s, err);
}

const struct plb_setting *plb_settings_get(const struct plb_settings *s, const char *section,
                                           const char *key)
{
    return find(s, section, key);
}

struct plb_param *plb_settings_params(const struct plb_settings *s, const struct plb_balancer *balancer)
{
    int n = 0;
    while (balancer->options != NULL && balancer->options[n].name != NULL)
        n++;
    struct plb_param *params = plb_alloc((size_t)(n + 1) * sizeof *params);
    for (int i = 0; i < n; i++) {
        const struct plb_setting *t = find(s, "balance", balancer->options[i].name);
        params[i] = (struct plb_param){t->option->name, t->number, t->text};
    }
    return params;
}

void plb_settings_show(const struct plb_settings *s, FILE *out)
{
    for (int i = 0; i < s->n; i++) {
        const struct plb_setting *t = &s->at[i];
        char left[512];
        snprintf(left, sizeof left, "%s.%s = %s", t->section, t->option->name, t->text != NULL ? t->text : "");
        fprintf(out, "%-44s  %s\n", left, t->text != NULL ? t->origin : "not set");
    }
}
