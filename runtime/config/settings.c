/* One table of settings. Values come from four places: defaults, conf file, environment, command line. */
#include "config/settings.h"

#include <ctype.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static struct plb_setting *find(const struct plb_settings *s, const char *section, const char *key)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].section, section) == 0 && strcmp(s->at[i].option->name, key) == 0)
            return &s->at[i];
    return NULL;
}

/* Reads the conf file. Somebody who has forgotten --run has a command there. */
static int read_conf(struct plb_settings *s, const char *file, struct plb_error *err)
{
    bool command = strstr(file, "{}") != NULL || strpbrk(file, " \t") != NULL;
    if (plb_ini_read(file, &s->conf, err) != PLB_OK && command && access(file, F_OK) != 0) {
        plb_append(err, ", or to run a program, write --run '", file);
        plb_append(err, "'", "");
    }
    return err->status;
}

int plb_settings_init(struct plb_settings *s, const char *conf_file, char *const *assignments,
                      int n_assignments, struct plb_error *err)
{
    *s = (struct plb_settings){.assignments = assignments, .n_assignments = n_assignments};
    if (conf_file != NULL)
        return read_conf(s, conf_file, err);
    s->conf.file = strdup("command line");
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

/* Where a new setting of a section goes: behind the last one of that section. */
static int end_of_section(const struct plb_settings *s, const char *section)
{
    for (int end = s->n; end > 0; end--)
        if (strcmp(s->at[end - 1].section, section) == 0)
            return end;
    return s->n;
}

void plb_settings_add(struct plb_settings *s, const char *section, const struct plb_option *options)
{
    for (; options != NULL && options->name != NULL; options++) {
        if (find(s, section, options->name) != NULL)
            continue; /* balancers share names: the chosen one's were added first */
        s->at = plb_room(s->at, s->n, &s->capacity, sizeof *s->at);
        int at = end_of_section(s, section);
        struct plb_setting *t = &s->at[at];
        memmove(t + 1, t, (size_t)(s->n++ - at) * sizeof *t);
        *t = (struct plb_setting){.option = options};
        snprintf(t->section, sizeof t->section, "%s", section);
    }
}

bool plb_settings_split(const char *assignment, char section[64], char key[64], const char **value)
{
    const char *dot = strchr(assignment, '.'), *equals = strchr(assignment, '=');
    if (dot == NULL || equals == NULL || dot > equals || dot - assignment > 63 || equals - dot > 64)
        return false;
    snprintf(section, 64, "%.*s", (int)(dot - assignment), assignment);
    snprintf(key, 64, "%.*s", (int)(equals - dot - 1), dot + 1);
    *value = equals + 1;
    return true;
}

void plb_settings_variable(const char *section, const char *key, char name[160])
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
    t->in_conf = false;
}

void plb_settings_resolve(const struct plb_settings *s, struct plb_setting *setting)
{
    if (!setting->in_conf || setting->text[0] == '/' || setting->text[0] == '\0')
        return;
    char copy[PATH_MAX], path[2 * PATH_MAX];
    snprintf(copy, sizeof copy, "%s", s->conf.file);
    snprintf(path, sizeof path, "%s/%s", dirname(copy), setting->text);
    free(setting->text);
    setting->text = strdup(strncmp(path, "./", 2) == 0 ? path + 2 : path);
}

static int take_from_conf(const struct plb_settings *s, struct plb_setting *t, struct plb_error *err)
{
    char origin[PATH_MAX + 32];
    int line = 0;
    for (int i = 0; i < s->conf.n; i++) {
        const struct plb_ini_entry *e = &s->conf.at[i];
        if (strcmp(e->section, t->section) != 0 || strcmp(e->key, t->option->name) != 0)
            continue;
        if (line > 0)
            return plb_fail(err, PLB_EINPUT, "%s:%d: %s is already set in line %d; leave one of them out",
                            s->conf.file, e->line, e->key, line);
        line = e->line;
        snprintf(origin, sizeof origin, "%s:%d", s->conf.file, line);
        set(t, e->value, origin, true);
        t->in_conf = true;
    }
    return PLB_OK;
}

static void take_from_command_line(const struct plb_settings *s, struct plb_setting *t)
{
    char section[64], key[64];
    const char *value;
    for (int i = 0; i < s->n_assignments; i++) {
        if (!plb_settings_split(s->assignments[i], section, key, &value))
            continue;
        if (strcmp(section, t->section) == 0 && strcmp(key, t->option->name) == 0)
            set(t, value, "command line", true);
    }
}

/* Takes a setting's value, and checks it. A later assignment here takes precedence over an earlier one. */
static int take(const struct plb_settings *s, struct plb_setting *t, struct plb_error *err)
{
    char name[160];
    plb_settings_variable(t->section, t->option->name, name);
    const char *variable = getenv(name);
    if (t->option->fallback != NULL)
        set(t, t->option->fallback, "default", false);
    if (take_from_conf(s, t, err) != PLB_OK)
        return err->status;
    if (variable != NULL)
        set(t, variable, name, true);
    take_from_command_line(s, t);
    if (t->option->type == PLB_INPUT_FILE || t->option->type == PLB_OUTPUT_FILE)
        plb_settings_resolve(s, t);
    return t->text != NULL ? plb_setting_check(t, err) : PLB_OK;
}

int plb_settings_load(struct plb_settings *s, const char *section, struct plb_error *err)
{
    for (int i = 0; i < s->n; i++)
        if (strcmp(s->at[i].section, section) == 0 && take(s, &s->at[i], err) != PLB_OK)
            return err->status;
    return PLB_OK;
}

struct plb_setting *plb_settings_get(const struct plb_settings *s, const char *section, const char *key)
{
    return find(s, section, key);
}

double plb_settings_number(const struct plb_settings *s, const char *section, const char *key)
{
    return find(s, section, key)->number;
}

struct plb_param *plb_settings_params(const struct plb_settings *s, const struct plb_balancer *balancer)
{
    int n = 0;
    while (balancer->options != NULL && balancer->options[n].name != NULL)
        n++;
    struct plb_param *params = plb_alloc((size_t)(n + 1) * sizeof *params);
    for (int i = 0; i < n; i++) {
        const struct plb_setting *t = find(s, "balance", balancer->options[i].name);
        params[i] = (struct plb_param){balancer->options[i].name, t->number, t->text};
    }
    return params;
}

void plb_settings_show(const struct plb_settings *s, FILE *out)
{
    for (int i = 0; i < s->n; i++) {
        const struct plb_setting *t = &s->at[i];
        char left[512];
        snprintf(left, sizeof left, "%s.%s = %s", t->section, t->option->name,
                 t->text != NULL ? t->text : "");
        fprintf(out, "%-44s  %s\n", left, t->text != NULL ? t->origin : "not set");
    }
}
