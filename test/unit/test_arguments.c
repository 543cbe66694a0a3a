/* The words that users type after plbrun. Mistakes and their sentences are in test/system/test_input.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/arguments.h"
#include "config/option_rows.h"

#define MOST 600 /* arguments of one command line */

/* Reads a command line, split at blanks. `line` is changed and must last as long as the result. */
static int read_line(char *line, struct plb_arguments *a, struct plb_error *err)
{
    char *argv[MOST + 1] = {"plbrun"};
    int argc = 1;
    for (char *word = strtok(line, " "); word != NULL && argc < MOST; word = strtok(NULL, " "))
        argv[argc++] = word;
    *err = (struct plb_error){.status = PLB_OK};
    return plb_arguments_read(a, argc, argv, err);
}

static void every_option_arrives(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char line[] = "--verify a.conf --report r.json x.y=1 --trace=t.html --simulate s.cluster --seed 1e3 "
                  "--show-pus --show-config --dry-run --quiet --verbose --balancer greedy";
    assert_int_equal(read_line(line, &a, &err), PLB_OK);
    assert_string_equal(a.conf, "a.conf");
    assert_string_equal(a.report, "r.json");
    assert_string_equal(a.trace, "t.html");
    assert_string_equal(a.simulate, "s.cluster");
    assert_int_equal(a.seed, 1000);
    assert_true(a.verify && a.show_pus && a.show_config && a.dry_run && a.quiet && a.log == PLB_LOG_INFO);
    assert_int_equal(a.question, PLB_ASKS_NOTHING);
    assert_int_equal(a.settings.n, 2);
    assert_string_equal(a.settings.at[0], "balance.balancer=greedy"); /* options come first */
    assert_string_equal(a.settings.at[1], "x.y=1");
    plb_arguments_fini(&a);
}

static void nothing_is_asked_for_by_default(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char line[] = "a.conf";
    assert_int_equal(read_line(line, &a, &err), PLB_OK);
    assert_false(a.verify || a.show_pus || a.show_config || a.dry_run || a.quiet || a.log != PLB_LOG_WARNING);
    assert_true(a.report == NULL && a.trace == NULL && a.simulate == NULL && a.settings.n == 0);
    assert_int_equal(a.seed, 1);
    plb_arguments_fini(&a);
}

/* A question needs no conf file. Of several, help comes first, whatever their order. */
static void questions(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        enum plb_question question;
    } cases[] = {
        {"--help", PLB_ASKS_HELP},
        {"--version", PLB_ASKS_VERSION},
        {"--profiles", PLB_ASKS_PROFILES},
        {"--kernels", PLB_ASKS_KERNELS},
        {"--balancer help", PLB_ASKS_BALANCERS},
        {"--report help", PLB_ASKS_REPORT_KEYS},
        {"--report schema", PLB_ASKS_REPORT_SCHEMA},
        {"--trace schema a.conf", PLB_ASKS_NOTHING},
        {"--report r.json --profiles", PLB_ASKS_PROFILES},
        {"--profiles --report help", PLB_ASKS_REPORT_KEYS},
        {"--help --version --balancer help", PLB_ASKS_HELP},
        {"--profiles --version --help", PLB_ASKS_HELP},
        {"a.conf --trace help", PLB_ASKS_NOTHING},
        {"a.conf --balancer helpful", PLB_ASKS_NOTHING},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_arguments a;
        struct plb_error err;
        char line[80];
        snprintf(line, sizeof line, "%s", cases[i].line);
        if (read_line(line, &a, &err) != PLB_OK || a.question != cases[i].question)
            fail_msg("%s: question %d, '%s'", cases[i].line, (int)a.question, err.text);
        plb_arguments_fini(&a);
    }
}

/* As with any program that uses getopt: a beginning that fits one option is that option. */
static void options_may_be_shortened(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char clear[] = "a.conf --repo r.json --sim s.cluster", several[] = "a.conf --ver";
    assert_int_equal(read_line(clear, &a, &err), PLB_OK);
    assert_string_equal(a.report, "r.json");
    assert_string_equal(a.simulate, "s.cluster");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(several, &a, &err), PLB_EINPUT); /* verify, verbose or version */
    assert_non_null(strstr(err.text, "unknown option --ver"));
    plb_arguments_fini(&a);
}

static void words_in_a_wrong_place_are_told(void **state)
{
    (void)state;
    static const struct {
        const char *line, *says;
    } wrong[] = {
        {"balance.migration=off a.conf", "the conf file must come before 'balance.migration=off'"},
        {"a.conf b.conf", "'b.conf' is neither the conf file (a.conf) nor section.key=value"},
        {"-np 3 a.conf", "unknown option -np; it belongs to mpirun: mpirun -np N plbrun app.conf"},
        {"--oversubscribe a.conf", "unknown option --oversubscribe; it belongs to mpirun"},
        {"b/k.so", "b/k.so is a kernel and no conf file; write 'kernel = b/k.so' under [app] in a conf file"},
        {"k.py --verify", "k.py is a kernel and no conf file"},
        {"k.cu", "k.cu is source code and no conf file; compile it, and name the .so under [app] in a conf"},
        {"--jobs 0 --run ls", "--jobs 0: expected 1 or more; without --jobs there is one program per core"},
        {"-j 00 --run ls", "--jobs 00: expected 1 or more"},
        {"--joblog --run ls", "--joblog needs a file, and --run is an option"},
        {"a.conf --report --verify", "--report needs a file, and --verify is an option"},
        {"--lines --joblog=l", "--lines needs a file, and --joblog=l is an option"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct plb_arguments a;
        struct plb_error err;
        char line[80];
        snprintf(line, sizeof line, "%s", wrong[i].line);
        assert_int_equal(read_line(line, &a, &err), PLB_EINPUT);
        if (strstr(err.text, wrong[i].says) == NULL)
            fail_msg("'%s' lacks '%s'", err.text, wrong[i].says);
        plb_arguments_fini(&a);
    }
}

/* A shell reads the command line again as the same words. */
static void the_command_line_is_kept(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char plain[] = "a.conf --seed 7 s.key=x,y:1", others[] = "it's\ta.conf s.key=$x s.key=";
    assert_int_equal(read_line(plain, &a, &err), PLB_OK);
    assert_string_equal(a.command, "plbrun a.conf --seed 7 s.key=x,y:1");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(others, &a, &err), PLB_OK);
    assert_string_equal(a.command, "plbrun 'it'\\''s\ta.conf' 's.key=$x' s.key=");
    plb_arguments_fini(&a);
}

static void there_may_be_many_settings(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char line[8000] = "a.conf";
    for (int i = 0; i < 500; i++)
        snprintf(line + strlen(line), sizeof line - strlen(line), " s.key=%d", i);
    assert_int_equal(read_line(line, &a, &err), PLB_OK);
    assert_int_equal(a.settings.n, 500);
    assert_string_equal(a.settings.at[499], "s.key=499");
    plb_arguments_fini(&a);
}

/* A command without a conf file stands for settings, and the user's own count. */
static void a_command_needs_no_conf_file(void **state)
{
    (void)state;
    struct plb_arguments a;
    struct plb_error err;
    char line[] = "--run true --lines - --jobs 3 --joblog log command.stdout=o",
         range[] = "--range 1-9 --bar", letters[] = "-kj 2 --range 1-9", conf[] = "--retries 2 a.conf",
         bar[] = "--bar a.conf", word[] = "--run true a.conf b";
    assert_int_equal(read_line(line, &a, &err), PLB_OK);
    assert_true(a.runs && a.quiet && a.conf == NULL);
    assert_string_equal(plb_assigned(&a.settings, "app.kernel="), "command");
    assert_string_equal(plb_assigned(&a.settings, "command.run="), "true");
    assert_string_equal(plb_assigned(&a.settings, "command.lines="), "/dev/stdin");
    assert_string_equal(plb_assigned(&a.settings, "command.stdout="), "o");
    assert_string_equal(plb_assigned(&a.settings, "command.stderr="), "/dev/stderr");
    assert_string_equal(plb_assigned(&a.settings, "cluster.threads="), "3");
    assert_string_equal(plb_assigned(&a.settings, "run.journal="), "log.journal");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(range, &a, &err), PLB_OK);
    assert_true(a.runs && !a.quiet && plb_assigned(&a.settings, "command.lines=") == NULL);
    plb_arguments_fini(&a);
    assert_int_equal(read_line(letters, &a, &err), PLB_OK);
    assert_string_equal(plb_assigned(&a.settings, "command.keep_order="), "yes");
    assert_string_equal(plb_assigned(&a.settings, "cluster.threads="), "2");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(conf, &a, &err), PLB_OK);
    assert_true(!a.runs && a.settings.n == 1 && strcmp(a.conf, "a.conf") == 0);
    plb_arguments_fini(&a);
    assert_int_equal(read_line(bar, &a, &err), PLB_EINPUT);
    plb_arguments_fini(&a);
    assert_int_equal(read_line(word, &a, &err), PLB_EINPUT);
    plb_arguments_fini(&a);
}

/* The file of a front stands behind an equals sign: else the next word is the conf file. */
static void a_front_may_have_a_file(void **state)
{
    (void)state;
    char alone[] = "--pareto a.conf";
    char file[] = "--pareto=f.svg a.conf";
    char word[] = "--pareto f.svg a.conf";
    struct plb_arguments a;
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(read_line(alone, &a, &err), PLB_OK);
    assert_string_equal(a.pareto, "");
    assert_string_equal(a.conf, "a.conf");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(file, &a, &err), PLB_OK);
    assert_string_equal(a.pareto, "f.svg");
    assert_string_equal(a.conf, "a.conf");
    plb_arguments_fini(&a);
    assert_int_equal(read_line(word, &a, &err), PLB_EINPUT);
    assert_non_null(strstr(err.text, "--pareto=f.svg"));
    plb_arguments_fini(&a);
}

/* Every option has a line of its own in the help, with its meaning in one column. */
static void help_has_a_column_of_meanings(void **state)
{
    (void)state;
    char *text;
    size_t size;
    int options = 0;
    FILE *out = open_memstream(&text, &size);
    plb_arguments_help(out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        assert_true(strlen(line) <= 100);
        if (strncmp(line, "  --", 4) != 0)
            continue;
        options++;
        assert_true(line[26] == ' ' && line[27] != ' ' && line[27] != '\0');
    }
    for (size_t i = 0; i < plb_option_rows_n; i++)
        options -= 1 + (plb_option_rows[i].more_value != NULL);
    assert_int_equal(options, 0);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_arrives),
        cmocka_unit_test(nothing_is_asked_for_by_default),
        cmocka_unit_test(questions),
        cmocka_unit_test(options_may_be_shortened),
        cmocka_unit_test(words_in_a_wrong_place_are_told),
        cmocka_unit_test(the_command_line_is_kept),
        cmocka_unit_test(there_may_be_many_settings),
        cmocka_unit_test(a_command_needs_no_conf_file),
        cmocka_unit_test(a_front_may_have_a_file),
        cmocka_unit_test(help_has_a_column_of_meanings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
