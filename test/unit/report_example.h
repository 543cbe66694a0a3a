/* The report that tests of reports begin with. */
#ifndef PLB_TEST_REPORT_EXAMPLE_H
#define PLB_TEST_REPORT_EXAMPLE_H

#include "report/report.h"

/* Three PUs of which the last had no work, in a run of 10 s. */
static struct plb_report example(struct plb_report_pu pus[3])
{
    memset(pus, 0, 3 * sizeof *pus);
    pus[0] = (struct plb_report_pu){.id = 0,
                                    .host = "h",
                                    .name = "a",
                                    .units = 60,
                                    .blocks = 3,
                                    .tasks = 6,
                                    .busy_s = 8.0,
                                    .transfer_s = 2.0,
                                    .curve = {.text = "0.1 x",
                                              .n_terms = 1,
                                              .terms = {{"u", 0.4}},
                                              .scale = 4.0,
                                              .low = 1.0,
                                              .high = 40.0,
                                              .r2 = 0.9}};
    pus[1] = (struct plb_report_pu){.id = 1,
                                    .node = 1,
                                    .host = "h",
                                    .name = "b",
                                    .kind = PLB_GPU,
                                    .units = 40,
                                    .blocks = 2,
                                    .tasks = 2,
                                    .busy_s = 4.0};
    pus[2] = (struct plb_report_pu){.id = 2, .node = 1, .host = "h", .name = "c"};
    struct plb_report r = {.app = "x",
                           .unit = "rows",
                           .balancer = "greedy",
                           .command = "plbrun a.conf",
                           .nodes = 2,
                           .hosts = 1,
                           .passes = 1,
                           .n_pus = 3,
                           .units = 100,
                           .makespan_s = 10.0,
                           .pus = pus};
    plb_report_derive(&r);
    return r;
}

#endif
