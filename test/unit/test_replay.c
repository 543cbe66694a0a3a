/* Reports as clusters and costs: what is read, and the sentences about what cannot be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include "config/cluster_file.h"
#include "config/replay_file.h"
#include "folder.h"

static int read_text(const struct folder *folder, const char *text, struct plb_cluster_spec *spec,
                     struct plb_replay *replay, struct plb_error *err)
{
    FILE *f = fopen(folder->file, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    *err = (struct plb_error){.status = PLB_OK};
    return plb_replay_read(folder->file, "spmm", spec, replay, err);
}

/* The third PU did nothing, and the last one is alone on its node. */
static const char whole[] =
    "\n{\"app\": \"spmm\", \"units\": 30, \"pus\": ["
    "{\"node\": 0, \"host\": \"a\", \"name\": \"x\", \"kind\": \"cpu\", \"work_rate\": 2.5, \"start_s\": "
    "0.5},"
    "{\"node\": 0, \"host\": \"a\", \"name\": \"y\", \"kind\": \"gpu\", \"work_rate\": 40, \"start_s\": "
    "null},"
    "{\"node\": 1, \"host\": \"b\", \"name\": \"z\", \"kind\": \"cpu\", \"work_rate\": null},"
    "{\"node\": 2, \"host\": \"c\", \"name\": \"w\", \"kind\": \"accelerator\", \"work_rate\": 1}],"
    "\"costs\": [{\"first\": 0, \"count\": 10, \"cost\": 0.4}, {\"first\": 10, \"count\": 20, \"cost\": "
    "1.3}]}";

static void pus_nodes_and_costs(void **state)
{
    struct plb_cluster_spec spec;
    struct plb_replay replay;
    struct plb_error err;
    assert_int_equal(read_text(*state, whole, &spec, &replay, &err), PLB_OK);
    assert_true(plb_is_report(((struct folder *)*state)->file));
    assert_int_equal(spec.n_nodes, 2);
    assert_int_equal(spec.n_pus, 3);
    assert_int_equal(spec.nodes[0].n_pus, 2);
    assert_int_equal(spec.nodes[1].first_pu, 2);
    assert_int_equal(spec.nodes[1].n_pus, 1);
    assert_string_equal(spec.nodes[1].name, "c");
    assert_true(spec.nodes[1].bandwidth > 0.0);
    assert_true(spec.pus[0].rate == 2.5 && spec.pus[0].overhead == 0.5);
    assert_true(spec.pus[1].rate == 40.0 && spec.pus[1].overhead == 0.0);
    assert_int_equal(spec.pus[1].kind, PLB_GPU);
    assert_int_equal(spec.pus[2].kind, PLB_ACCELERATOR);
    assert_true(isinf(spec.pus[2].memory));
    assert_int_equal(replay.units, 30);
    assert_int_equal(replay.n, 2);
    assert_true(replay.costs[1].first == 10 && replay.costs[1].count == 20 && replay.costs[1].cost == 1.3);
    plb_cluster_fini(&spec);
    plb_replay_fini(&replay);
}

#define PUS "\"pus\": [{\"node\": 0, \"work_rate\": 1}]"

static const struct {
    const char *text, *says;
} refusals[] = {
    {"", "expected a report"},
    {"{\n\"app\": ", ":2: "},
    {"[1, 2]", "app: expected"},
    {"{\"app\": 3}", "app: expected"},
    {"{\"app\": \"matmul\"}", "of kernel matmul, not of spmm"},
    {"{\"app\": \"spmm\"}", "units: expected"},
    {"{\"app\": \"spmm\", \"units\": 0, " PUS "}", "units: expected"},
    {"{\"app\": \"spmm\", \"units\": 9}", "pus: expected"},
    {"{\"app\": \"spmm\", \"units\": 9, \"pus\": []}", "pus: expected"},
    {"{\"app\": \"spmm\", \"units\": 9, \"pus\": [{\"node\": 0, \"work_rate\": -1}]}", "work_rate above 0"},
    {"{\"app\": \"spmm\", \"units\": 9, \"pus\": [7]}", "work_rate above 0"},
    {"{\"app\": \"spmm\", \"units\": 9, " PUS ", \"costs\": [{\"first\": 0, \"count\": 8, \"cost\": 1}]}",
     "cover all units"},
    {"{\"app\": \"spmm\", \"units\": 9, " PUS ", \"costs\": [{\"first\": 1, \"count\": 8, \"cost\": 1}]}",
     "in order"},
    {"{\"app\": \"spmm\", \"units\": 9, " PUS ", \"costs\": [{\"first\": 0, \"count\": 10, \"cost\": 1}]}",
     "in order"},
    {"{\"app\": \"spmm\", \"units\": 9, " PUS ", \"costs\": [{\"first\": 0, \"count\": 9, \"cost\": -1}]}",
     "in order"},
    {"{\"app\": \"spmm\", \"units\": 9, " PUS ", \"costs\": [null]}", "in order"},
};

static void refuses_what_is_no_report(void **state)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        struct plb_cluster_spec spec;
        struct plb_replay replay;
        struct plb_error err;
        int status = read_text(*state, refusals[i].text, &spec, &replay, &err);
        if (status != PLB_EINPUT || strstr(err.text, refusals[i].says) == NULL
            || strstr(err.text, "input") == NULL)
            fail_msg("%s: status %d, '%s'", refusals[i].text, status, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(pus_nodes_and_costs),
        TEST_IN_FOLDER(refuses_what_is_no_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
