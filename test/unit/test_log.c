/* Lines of the log: which levels are printed, and what a line tells of time and rank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char host[64];

/* Writes a line of each level, an own one and an answer to `text`, at this level on this rank. */
static void all_lines(enum plb_log_level most, int rank, char text[1000])
{
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stderr);
    int kept = dup(STDERR_FILENO);
    dup2(fileno(file), STDERR_FILENO);
    plb_log_open(most);
    plb_log_rank(rank);
    plb_log(PLB_LOG_ERROR, "wrong");
    plb_log(PLB_LOG_WARNING, "odd %d", 7);
    plb_log(PLB_LOG_INFO, "known");
    plb_log(PLB_LOG_DEBUG, "done");
    plb_log_here(PLB_LOG_WARNING, "small");
    plb_say("PU 0");
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
    rewind(file);
    text[fread(text, 1, 999, file)] = '\0';
    fclose(file);
    plb_log_open(PLB_LOG_WARNING);
    plb_log_rank(0);
}

static void rank_0_names_itself_where_its_host_matters(void **state)
{
    (void)state;
    char text[1000], expected[1000];
    all_lines(PLB_LOG_WARNING, 0, text);
    snprintf(expected, sizeof expected,
             "plbrun: wrong\nplbrun: warning: odd 7\nplbrun: warning: rank 0 on %s: small\nplbrun: PU 0\n",
             host);
    assert_string_equal(text, expected);
}

static void other_ranks_name_themselves(void **state)
{
    (void)state;
    char text[1000], expected[1000];
    all_lines(PLB_LOG_WARNING, 3, text);
    snprintf(expected, sizeof expected,
             "plbrun: rank 3 on %s: wrong\nplbrun: warning: rank 3 on %s: odd 7\n"
             "plbrun: warning: rank 3 on %s: small\nplbrun: PU 0\n",
             host, host, host);
    assert_string_equal(text, expected);
}

static void a_level_has_the_graver_ones(void **state)
{
    (void)state;
    char text[1000];
    all_lines(PLB_LOG_ERROR, 0, text);
    assert_string_equal(text, "plbrun: wrong\nplbrun: PU 0\n");
    all_lines(PLB_LOG_INFO, 0, text);
    assert_true(strstr(text, "known") != NULL && strstr(text, "done") == NULL);
    all_lines(PLB_LOG_DEBUG, 0, text);
    assert_true(strstr(text, "known") != NULL && strstr(text, "done") != NULL);
}

/* From info on; answers have none. */
static void lines_tell_the_time(void **state)
{
    (void)state;
    char text[1000];
    double seconds = -1.0;
    int end = 0;
    all_lines(PLB_LOG_INFO, 3, text);
    assert_int_equal(sscanf(text, "plbrun: [%lf s] rank 3 on %n", &seconds, &end), 1);
    assert_true(seconds >= 0.0 && end > 0);
    assert_non_null(strstr(text, " s] warning: rank 3 on "));
    assert_non_null(strstr(text, "\nplbrun: PU 0\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rank_0_names_itself_where_its_host_matters),
        cmocka_unit_test(other_ranks_name_themselves),
        cmocka_unit_test(a_level_has_the_graver_ones),
        cmocka_unit_test(lines_tell_the_time),
    };
    gethostname(host, sizeof host - 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
