/* Settings: which place takes precedence, what becomes of a value, and that every choice of plbrun's own keys
 * becomes the enum of that name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/application.h"
#include "config/unknown.h"
#include "job/balancer_table.h"
#include "job/job_settings.h"
#include "params.h"

static const struct plb_option options[] = {
    {"size", PLB_INT, "7", 1, 100, NULL, "a size"},
    {"shape", PLB_TEXT, "round", 0, 0, "round|oval|flat", "a shape"},
    {"word", PLB_TEXT, NULL, 0, 0, NULL, "any word"},
    {"shade", PLB_TEXT, NULL, 0, 0, "light|dark", "not set unless the user does"},
    {"file", PLB_OUTPUT_FILE, NULL, 0, 0, NULL, "a file"},
    {0},
};
static const struct plb_option more[] = {{"late", PLB_FLAG, "yes", 0, 0, NULL, "added later"}, {0}};

static char folder[] = "/tmp/plbrun-settings-XXXXXX", conf[100];

static void write_conf(const char *text)
{
    snprintf(conf, sizeof conf, "%s/app.conf", folder);
    FILE *f = fopen(conf, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* Settings with one section, loaded; fails where the text is wrong. */
static void load(struct plb_settings *s, const char *text, char **assignments, int n)
{
    struct plb_error err = {.status = PLB_OK};
    write_conf(text);
    assert_int_equal(plb_settings_init(s, conf, assignments, n, &err), PLB_OK);
    plb_settings_add(s, "thing", options);
    assert_int_equal(plb_settings_load(s, "thing", &err), PLB_OK);
}

static void a_later_place_takes_precedence(void **state)
{
    (void)state;
    struct plb_settings s;
    load(&s, "[thing]\n", NULL, 0);
    assert_true(plb_settings_number(&s, "thing", "size") == 7.0
                && !plb_settings_get(&s, "thing", "size")->given);
    plb_settings_fini(&s);
    load(&s, "[thing]\nsize = 8\n", NULL, 0);
    assert_true(plb_settings_number(&s, "thing", "size") == 8.0
                && plb_settings_get(&s, "thing", "size")->given);
    assert_non_null(strstr(plb_settings_get(&s, "thing", "size")->origin, "app.conf:2"));
    plb_settings_fini(&s);
    setenv("PLB_THING_SIZE", "9", 1);
    load(&s, "[thing]\nsize = 8\n", NULL, 0);
    assert_true(plb_settings_number(&s, "thing", "size") == 9.0);
    plb_settings_fini(&s);
    load(&s, "[thing]\nsize = 8\n", (char *[]){"thing.size=10", "other.size=11"}, 2);
    assert_true(plb_settings_number(&s, "thing", "size") == 10.0);
    assert_string_equal(plb_settings_get(&s, "thing", "size")->origin, "command line");
    plb_settings_fini(&s);
    unsetenv("PLB_THING_SIZE");
}

static void a_choice_becomes_its_place(void **state)
{
    (void)state;
    static const char *const names[] = {"round", "oval", "flat"};
    struct plb_settings s;
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "[thing]\nshape = %s\n", names[i]);
        load(&s, text, NULL, 0);
        assert_true(plb_settings_number(&s, "thing", "shape") == i);
        plb_settings_fini(&s);
    }
    double index = -1.0;
    assert_false(plb_parse_choice("fla", "round|oval|flat", &index));
    assert_false(plb_parse_choice("flatter", "round|oval|flat", &index));
    assert_false(plb_parse_choice("", "round|oval|flat", &index));
    assert_false(plb_parse_choice("round|oval", "round|oval|flat", &index));
    assert_true(index == -1.0);
}

static void a_wrong_value_is_told(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } wrong[] = {
        {"[thing]\nshape = ovale\n",
         "app.conf:2: shape = ovale is not one of round|oval|flat; did you mean 'oval'?"},
        {"[thing]\nsize = 101\n", "app.conf:2: size = 101 is out of range; it must be between 1 and 100"},
        {"[thing]\nsize = many\n", "app.conf:2: size = many is not a whole number"},
        {"[thing]\nsize = 1e19\n", "app.conf:2: size = 1e19 is not a whole number up to 2^53"},
        {"[thing]\nsize = 2\nsize = 3\n", "app.conf:3: size is already set in line 2"},
        {"[thing]\nfile = gone/x\n", "the folder of file = "},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct plb_settings s;
        struct plb_error err = {.status = PLB_OK};
        write_conf(wrong[i].text);
        assert_int_equal(plb_settings_init(&s, conf, NULL, 0, &err), PLB_OK);
        plb_settings_add(&s, "thing", options);
        assert_int_equal(plb_settings_load(&s, "thing", &err), PLB_EINPUT);
        if (strstr(err.text, wrong[i].says) == NULL)
            fail_msg("'%s' lacks '%s'", err.text, wrong[i].says);
        plb_settings_fini(&s);
    }
}

/* A path in the conf file begins at the conf file, any other where plbrun was started. */
static void paths_are_resolved(void **state)
{
    (void)state;
    struct plb_settings s;
    char expected[200];
    load(&s, "[thing]\nfile = out.npy\nword = out.npy\n", NULL, 0);
    snprintf(expected, sizeof expected, "%s/out.npy", folder);
    assert_string_equal(plb_settings_get(&s, "thing", "file")->text, expected);
    assert_string_equal(plb_settings_get(&s, "thing", "word")->text, "out.npy");
    plb_settings_resolve(&s, plb_settings_get(&s, "thing", "word"));
    assert_string_equal(plb_settings_get(&s, "thing", "word")->text, expected);
    plb_settings_fini(&s);
    load(&s, "[thing]\nfile = out.npy\n", (char *[]){"thing.file=other.npy"}, 1);
    assert_string_equal(plb_settings_get(&s, "thing", "file")->text, "other.npy");
    plb_settings_fini(&s);
}

static void a_section_stays_together(void **state)
{
    (void)state;
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    load(&s, "[thing]\n", NULL, 0);
    plb_settings_add(&s, "other", options);
    plb_settings_add(&s, "thing", more);
    plb_settings_add(&s, "thing", options); /* known already */
    assert_int_equal(s.n, 11);
    for (int i = 0; i < s.n; i++)
        assert_string_equal(s.at[i].section, i < 6 ? "thing" : "other");
    assert_string_equal(s.at[5].option->name, "late");
    assert_int_equal(plb_settings_check_unknown(&s, &err), PLB_OK);
    plb_settings_fini(&s);
}

/* A user who sets nothing gets the defaults that tests take (params.h) and --balancer help shows, although
 * balancers share names of keys with other defaults. */
static void a_balancer_gets_its_own_defaults(void **state)
{
    (void)state;
    for (int b = 0; plb_balancers[b] != NULL; b++) {
        struct plb_param own[MAX_PARAMS];
        struct plb_settings s;
        struct plb_error err = {.status = PLB_OK};
        assert_int_equal(plb_settings_init(&s, NULL, NULL, 0, &err), PLB_OK);
        plb_job_settings_add(&s);
        plb_job_settings_add_balancers(&s, plb_balancers[b]);
        assert_int_equal(plb_settings_load(&s, "balance", &err), PLB_OK);
        struct plb_param *params = plb_settings_params(&s, plb_balancers[b]);
        default_params(plb_balancers[b], own);
        for (int i = 0; params[i].name != NULL; i++)
            if (strcmp(params[i].text, own[i].text) != 0 || params[i].value != own[i].value)
                fail_msg("%s: %s = %s", plb_balancers[b]->name, params[i].name, params[i].text);
        free(params);
        plb_settings_fini(&s);
    }
}

/* So it is with types, bounds and the order of choices, for a balancer from a file, too. */
static void a_balancer_gets_its_own_bounds_and_choices(void **state)
{
    (void)state;
    static const struct plb_option forward[] = {
        {"training", PLB_REAL, "1", 1, 3, NULL, "a part"},
        {"solver", PLB_TEXT, "one", 0, 0, "one|two|three", "a way"},
        {0},
    };
    const struct plb_balancer mine = {.options = forward};
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    write_conf("[balance]\ntraining = 2.5\nsolver = three\n");
    assert_int_equal(plb_settings_init(&s, conf, NULL, 0, &err), PLB_OK);
    plb_job_settings_add(&s);
    plb_job_settings_add_balancers(&s, &mine);
    assert_int_equal(plb_settings_load(&s, "balance", &err), PLB_OK);
    struct plb_param *params = plb_settings_params(&s, &mine);
    assert_true(params[0].value == 2.5 && params[1].value == 2.0);
    assert_string_equal(params[1].text, "three");
    free(params);
    plb_settings_fini(&s);
}

static void a_kernel_gets_its_choices(void **state)
{
    (void)state;
    const struct plb_kernel kernel = {.name = "thing"};
    struct plb_settings s;
    load(&s, "[thing]\nshape = flat\n", NULL, 0);
    const struct plb_app app = {.kernel = &kernel, .settings = &s};
    assert_int_equal(plb_app_choice(&app, "shape"), 2);
    assert_int_equal(plb_app_choice(&app, "shade"), -1);
    plb_settings_fini(&s);
}

static void own(struct plb_balance_settings *balance, struct plb_cluster_settings *cluster, const char *text)
{
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    write_conf(text);
    assert_int_equal(plb_settings_init(&s, conf, NULL, 0, &err), PLB_OK);
    plb_job_settings_add(&s);
    assert_int_equal(plb_settings_load(&s, "balance", &err), PLB_OK);
    assert_int_equal(plb_settings_load(&s, "cluster", &err), PLB_OK);
    plb_balance_settings_read(&s, balance);
    plb_cluster_settings_read(&s, cluster);
    plb_settings_fini(&s);
}

static void own_choices_become_enums(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int value;
    } victims[] = {{"most-remaining", PLB_MOST_REMAINING},
                   {"first", PLB_FIRST},
                   {"random", PLB_RANDOM},
                   {"a2ws", PLB_A2WS}},
      modes[] = {{"off", PLB_PROFILE_OFF},
                 {"read", PLB_PROFILE_READ},
                 {"write", PLB_PROFILE_WRITE},
                 {"on", PLB_PROFILE_ON}},
      pus[] = {{"auto", PLB_PUS_AUTO}, {"cpu", PLB_PUS_CPU}, {"gpu", PLB_PUS_GPU}};
    struct plb_balance_settings b;
    struct plb_cluster_settings c;
    char text[200];
    for (int i = 0; i < 12; i++) {
        snprintf(text, sizeof text, "[balance]\nmigration_victim = %s\nprofile = %s\n[cluster]\npus = %s\n",
                 victims[i % 4].name, modes[i % 4].name, pus[i / 4].name);
        own(&b, &c, text);
        assert_int_equal(b.migration.victim, victims[i % 4].value);
        assert_int_equal(b.profile, modes[i % 4].value);
        assert_int_equal(c.pus.wanted, pus[i / 4].value);
        assert_true(b.profile_given);
    }
}

static void own_values_arrive(void **state)
{
    (void)state;
    struct plb_balance_settings b;
    struct plb_cluster_settings c;
    own(&b, &c, "[app]\n");
    assert_true(b.migration.on && b.migration.backups && b.migration.threshold == 1.0 && b.grain == 0.0
                && b.profile == PLB_PROFILE_OFF && !b.profile_given);
    assert_true(c.file == NULL && !c.pus.master_only && c.pus.wanted == PLB_PUS_AUTO);
    own(&b, &c,
        "[balance]\nmigration = off\nbackups = off\nmigration_threshold = 2.5\ngrain = 64\n"
        "[cluster]\nmaster_only = yes\nthreads = 3\ngpu_power = 9\n");
    assert_true(!b.migration.on && !b.migration.backups && b.migration.threshold == 2.5 && b.grain == 64.0);
    assert_true(c.pus.master_only);
    bool threads = false, power = false;
    for (int d = 0; plb_device_drivers[d] != NULL; d++)
        for (int i = 0; i < plb_driver_option_count(plb_device_drivers[d]); i++) {
            double value = c.pus.options[plb_driver_first_option(plb_device_drivers[d]) + i];
            threads |= strcmp(plb_device_drivers[d]->options[i].name, "threads") == 0 && value == 3.0;
            power |= strcmp(plb_device_drivers[d]->options[i].name, "gpu_power") == 0 && value == 9.0;
        }
    assert_true(threads && power);
}

/* Reads the own values of [run]. */
static int run_of(const char *text, struct plb_run_settings *run, struct plb_error *err)
{
    static struct plb_settings s; /* `run` borrows its texts */
    if (s.n > 0)
        plb_settings_fini(&s);
    write_conf(text);
    assert_int_equal(plb_settings_init(&s, conf, NULL, 0, err), PLB_OK);
    plb_job_settings_add(&s);
    assert_int_equal(plb_settings_load(&s, "run", err), PLB_OK);
    int status = plb_run_settings_read(&s, run, err);
    if (status != PLB_OK) {
        plb_settings_fini(&s);
        s.n = 0;
    }
    return status;
}

static void limits_of_time_are_read(void **state)
{
    static const char *const wrong[] = {"[run]\ntime_limit = 0", "[run]\ntime_limit = soon",
                                        "[run]\ntime_limit = 1:30",
                                        "[run]\ntime_limit =", "[run]\ngrace = -1"};
    struct plb_error err = {.status = PLB_OK};
    struct plb_run_settings run;
    (void)state;
    assert_int_equal(run_of("[run]\n", &run, &err), PLB_OK);
    assert_true(isinf(run.limit_s) && run.until_job_ends && run.grace_s == 30.0);
    assert_int_equal(run_of("[run]\ntime_limit = off\ngrace = 0\n", &run, &err), PLB_OK);
    assert_true(isinf(run.limit_s) && !run.until_job_ends && run.grace_s == 0.0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct plb_error told = {.status = PLB_OK};
        assert_int_equal(run_of(wrong[i], &run, &told), PLB_EINPUT);
        assert_non_null(strstr(told.text, "app.conf:2: "));
        assert_non_null(strstr(told.text, "is not a time such as 90s, 30m, 2h, 1d or 1:30:00"));
    }
    assert_int_equal(run_of("[run]\ntime_limit = 1:30:00\n", &run, &err), PLB_OK);
    assert_true(run.limit_s == 5400.0 && run.until_job_ends);
    assert_string_equal(run.limit, "1:30:00");
}

/* A rank says BEAT every 0.1 s. */
static void ranks_have_three_beats_at_least(void **state)
{
    static const struct {
        const char *text;
        int status;
    } values[] = {{"[run]\nlost_after = 0.2\n", PLB_EINPUT}, {"[run]\nlost_after = 0.3\n", PLB_OK}};
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct plb_settings s;
        struct plb_error err = {.status = PLB_OK};
        write_conf(values[i].text);
        assert_int_equal(plb_settings_init(&s, conf, NULL, 0, &err), PLB_OK);
        plb_job_settings_add(&s);
        assert_int_equal(plb_settings_load(&s, "run", &err), values[i].status);
        if (values[i].status != PLB_OK)
            assert_non_null(strstr(err.text, "app.conf:2: lost_after = 0.2 is out of range"));
        plb_settings_fini(&s);
    }
}

static int make_folder(void **state)
{
    (void)state;
    unsetenv("PLB_CLUSTER_THREADS"); /* the thread sanitizer's runs set it, and it would take precedence */
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(conf);
    return rmdir(folder);
}

/* Somebody wants to run a program, and has forgotten --run. */
static void a_command_in_the_place_of_the_conf_file_is_told(void **state)
{
    (void)state;
    static const char *const commands[] = {"echo {}", "{}", "ls -l"};
    char expected[200];
    for (int i = 0; i < 3; i++) {
        struct plb_settings s;
        struct plb_error err = {.status = PLB_OK};
        snprintf(
            expected, sizeof expected,
            "%s: No such file or directory; name an existing file, or to run a program, write --run '%s'",
            commands[i], commands[i]);
        assert_int_equal(plb_settings_init(&s, commands[i], NULL, 0, &err), PLB_EINPUT);
        assert_string_equal(err.text, expected);
    }
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    assert_int_equal(plb_settings_init(&s, "nowhere.conf", NULL, 0, &err), PLB_EINPUT);
    assert_null(strstr(err.text, "--run"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_later_place_takes_precedence),
        cmocka_unit_test(a_choice_becomes_its_place),
        cmocka_unit_test(a_wrong_value_is_told),
        cmocka_unit_test(paths_are_resolved),
        cmocka_unit_test(a_section_stays_together),
        cmocka_unit_test(a_balancer_gets_its_own_defaults),
        cmocka_unit_test(a_balancer_gets_its_own_bounds_and_choices),
        cmocka_unit_test(a_kernel_gets_its_choices),
        cmocka_unit_test(own_choices_become_enums),
        cmocka_unit_test(own_values_arrive),
        cmocka_unit_test(limits_of_time_are_read),
        cmocka_unit_test(ranks_have_three_beats_at_least),
        cmocka_unit_test(a_command_in_the_place_of_the_conf_file_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
