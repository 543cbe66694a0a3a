/* The form that a value must have, by the type of its option. */
#include "config/setting.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/duration.h"
#include "config/ini.h"
#include "config/nearest.h"

static int check_number(const struct plb_setting *t, struct plb_error *err)
{
    const struct plb_option *o = t->option;
    if ((o->min != 0.0 || o->max != 0.0) && (t->number < o->min || t->number > o->max))
        return plb_fail(err, PLB_EINPUT,
                        "%s: %s = %s is out of range; it must be between %.15g and %.15g (%s)", t->origin,
                        o->name, t->text, o->min, o->max, o->help);
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
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is a folder; name a file in it", t->origin,
                        t->option->name, t->text);
    const char *folder = dirname(copy);
    if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s: the folder of %s = %s does not exist; create %s", t->origin,
                        t->option->name, t->text, folder);
    if (access(folder, W_OK | X_OK) != 0)
        return plb_fail(err, PLB_EINPUT,
                        "%s: the folder %s of %s cannot be written; choose another or change its permissions",
                        t->origin, folder, t->option->name);
    if (stat(t->text, &st) == 0 && S_ISDIR(st.st_mode))
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is a folder; name a file in it", t->origin,
                        t->option->name, t->text);
    return PLB_OK;
}

static int check_input(const struct plb_setting *t, struct plb_error *err)
{
    if (access(t->text, R_OK) == 0)
        return PLB_OK;
    return plb_fail(err, PLB_EINPUT, "%s: cannot read %s = %s: %s; correct the path", t->origin,
                    t->option->name, t->text, strerror(errno));
}

static int check_choice(struct plb_setting *t, struct plb_error *err)
{
    const char *choices = t->option->choices;
    if (choices == NULL || plb_parse_choice(t->text, choices, &t->number))
        return PLB_OK;
    char copy[256];
    const char *names[32];
    int n = 0;
    snprintf(copy, sizeof copy, "%s", choices);
    for (char *save, *word = strtok_r(copy, "|", &save); word != NULL && n < 31;
         word = strtok_r(NULL, "|", &save))
        names[n++] = word;
    names[n] = NULL;
    const char *near = plb_nearest(t->text, names);
    return plb_fail(err, PLB_EINPUT, "%s: %s = %s is not one of %s%s%s%s", t->origin, t->option->name,
                    t->text, choices, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

int plb_setting_check(struct plb_setting *setting, struct plb_error *err)
{
    const char *expected = NULL;
    switch (setting->option->type) {
    case PLB_INT:
        expected = plb_parse_int(setting->text, &setting->number) ? NULL : "a whole number up to 2^53";
        break;
    case PLB_REAL: expected = plb_parse_real(setting->text, &setting->number) ? NULL : "a number"; break;
    case PLB_DURATION:
        expected = plb_parse_duration(setting->text, &setting->number) ? NULL
                                                                       : "a time such as " PLB_DURATION_FORMS;
        break;
    case PLB_FLAG: expected = plb_parse_flag(setting->text, &setting->number) ? NULL : "yes or no"; break;
    case PLB_TEXT: return check_choice(setting, err);
    case PLB_OUTPUT_FILE: return check_output(setting, err);
    case PLB_INPUT_FILE: return check_input(setting, err);
    }
    if (expected != NULL)
        return plb_fail(err, PLB_EINPUT, "%s: %s = %s is not %s (%s)", setting->origin, setting->option->name,
                        setting->text, expected, setting->option->help);
    return check_number(setting, err);
}
