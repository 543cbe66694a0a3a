/* Names that no setting has: what the sentence about them says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "config/nearest.h"
#include "config/unknown.h"
#include "folder.h"

static const struct plb_option options[] = {
    {"size", PLB_INT, "7", 1, 100, NULL, "a size"},
    {"shape", PLB_TEXT, "round", 0, 0, "round|oval|flat", "a shape"},
    {0},
};

/* Settings with the section [thing], a conf file, and a word of the command line unless NULL. */
static void tells(const struct folder *folder, const char *text, const char *word, const char *says)
{
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    char copy[40] = "", *words[] = {copy};
    if (word != NULL)
        snprintf(copy, sizeof copy, "%s", word);
    FILE *f = fopen(folder->file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(plb_settings_init(&s, folder->file, words, word != NULL, &err), PLB_OK);
    plb_settings_add(&s, "thing", options);
    assert_int_equal(plb_settings_load(&s, "thing", &err), PLB_OK);
    assert_int_equal(plb_settings_check_unknown(&s, &err), PLB_EINPUT);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' lacks '%s'", err.text, says);
    plb_settings_fini(&s);
}

static void an_unknown_name_is_told(void **state)
{
    tells(*state, "[thing]\nsise = 3\n", NULL, ":2: unknown key 'sise' in [thing]; did you mean 'size'?");
    tells(*state, "[think]\n", NULL, "input:1: unknown section [think]; did you mean [thing]?");
    tells(*state, "size = 3\n", NULL, "input:1: size stands before the first [section]");
    tells(*state, "[thing]\nzzzzzz = 3\n", NULL, "in [thing], which knows: size, shape");
}

/* A word of the command line without its section may be a known key, and --range is a key of [command]. */
static void a_word_without_a_section_is_told(void **state)
{
    tells(*state, "[thing]\n", "size=7", "'size=7' is not section.key=value; did you mean thing.size=7?");
    tells(*state, "[thing]\n", "zzzzzz=3", "'zzzzzz=3' is not section.key=value");
    tells(*state, "[thing]\n", "command.range=1-3",
          "--range and similar options, and [command], belong to the kernel");
}

/* The name that is suggested; "": none. */
static const char *nearest(const char *wrong)
{
    static const char *const names[] = {"none", "all", "time", "objective", "gpu", NULL};
    const char *near = plb_nearest(wrong, names);
    return near != NULL ? near : "";
}

static void what_looks_like_a_slip_of_the_keys_is_suggested(void **state)
{
    (void)state;
    assert_string_equal(nearest("nome"), "none");
    assert_string_equal(nearest("nnoe"), "none"); /* two letters changed places */
    assert_string_equal(nearest("tmie"), "time");
    assert_string_equal(nearest("timee"), "time");
    assert_string_equal(nearest("gp"), "gpu");
    assert_string_equal(nearest("objetcivs"), "objective");
    assert_string_equal(nearest("some"), ""); /* half of the letters are others */
    assert_string_equal(nearest("noeno"), "");
    assert_string_equal(nearest("cpus"), "");
    assert_string_equal(nearest("abjektiwe"), "objective");
    assert_string_equal(nearest("abjektiwes"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_looks_like_a_slip_of_the_keys_is_suggested),
        TEST_IN_FOLDER(an_unknown_name_is_told),
        TEST_IN_FOLDER(a_word_without_a_section_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
