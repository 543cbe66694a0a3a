/* Lines of conf and .cluster files: quotes, comments, and warnings of what a comment cuts off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/ini.h"
#include "folder.h"

/* Reads one line of a section; *said becomes what is printed meanwhile. */
static int read_line(const struct folder *folder, const char *line, struct plb_ini *conf,
                     struct plb_error *err, char said[1000])
{
    char text[256];
    snprintf(text, sizeof text, "[s]\n%s\n", line);
    put(folder->file, text, strlen(text));
    int ends[2], before = dup(STDERR_FILENO);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], STDERR_FILENO);
    int status = plb_ini_read(folder->file, conf, err);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    close(ends[1]);
    ssize_t length = read(ends[0], said, 999);
    said[length > 0 ? length : 0] = '\0';
    close(ends[0]);
    return status;
}

static void values_are_what_was_meant(void **state)
{
    static const struct {
        const char *line, *value;
        bool warns;
    } cases[] = {
        {"a = /x/run.npy", "/x/run.npy", false},
        {"a = /x/run #2.npy", "/x/run", true},
        {"a = \"/x/run #2.npy\"", "/x/run #2.npy", false},
        {"a = '/x/run \"1\" #2.npy'   # where it goes", "/x/run \"1\" #2.npy", false},
        {"a = \"b ; c\" ; d", "b ; c", false},
        {"a = \"\"", "", false},
        {"a = b ; c", "b", true},
        {"a = b # c", "b", false},
        {"a = b #", "b", false},
        {"a = 10 ;ten", "10", false},
        {"a = 10 #ten", "10", false},
        {"a = run#2", "run#2", false},
        {"a = b;c", "b;c", false},
        {"a =#b", "#b", false},
        {"a = # nothing", "", false},
        {"  a : b\t# c", "b", false},
        {"a = b = c : d", "b = c : d", false},
        {"a = it's", "it's", false},
        {"a = b  \r", "b", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_ini conf;
        struct plb_error err = {.status = PLB_OK};
        char said[1000];
        assert_int_equal(read_line(*state, cases[i].line, &conf, &err, said), PLB_OK);
        assert_int_equal(conf.n, 1);
        assert_string_equal(conf.at[0].key, "a");
        assert_string_equal(conf.at[0].value, cases[i].value);
        if ((strstr(said, "input:2: the value of a ends before") != NULL) != cases[i].warns)
            fail_msg("%s: said '%s'", cases[i].line, said);
        plb_ini_fini(&conf);
    }
}

static void wrong_lines_are_told(void **state)
{
    static const char *const cases[][2] = {
        {"a = \"b", "input:2: the value begins with a quote"},
        {"a = 'b\"", "input:2: the value begins with a quote"},
        {"a = \"b\" c", "input:2: text follows the quoted value"},
        {"a = \"b\"# c", "input:2: text follows the quoted value"},
        {"a ; = b", "input:2: neither a [section] nor 'key = value'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_ini conf;
        struct plb_error err = {.status = PLB_OK};
        char said[1000];
        assert_int_equal(read_line(*state, cases[i][0], &conf, &err, said), PLB_EINPUT);
        if (strstr(err.text, cases[i][1]) == NULL)
            fail_msg("%s: %s", cases[i][0], err.text);
    }
}

static void sections_and_comments_are_read(void **state)
{
    static const char text[] =
        "\xef\xbb\xbf# first\n[pu a] ; one\n; all of it\n  k = 1\n[pu b]# two\n\nk = 2";
    const struct folder *folder = *state;
    struct plb_ini conf;
    struct plb_error err = {.status = PLB_OK};
    put(folder->file, text, sizeof text - 1);
    assert_int_equal(plb_ini_read(folder->file, &conf, &err), PLB_OK);
    assert_true(conf.n == 2 && conf.n_sections == 2);
    assert_string_equal(conf.at[0].section, "pu a");
    assert_string_equal(conf.at[1].section, "pu b");
    assert_string_equal(conf.at[1].value, "2");
    assert_true(conf.at[0].line == 4 && conf.at[1].line == 7);
    plb_ini_fini(&conf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(values_are_what_was_meant),
        TEST_IN_FOLDER(wrong_lines_are_told),
        TEST_IN_FOLDER(sections_and_comments_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
