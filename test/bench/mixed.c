/* All balancers on 10 to 10,000 PUs of mixed kinds: CPUs beside GPUs, useful, very slow, or refused
 * for lack of memory. How the master's work per block grows, and whether every run ends within a
 * minute. Usage: mixed [MOST_PUS]. */
#include <stdio.h>

#include "mixed.h"

#define UNITS_PER_PU 2000.0

static void run(const struct plb_balancer *b, int nodes, enum mixed_case which)
{
    struct mixed_calls calls = {0};
    struct mixed_result r = mixed_run(b, nodes, which, UNITS_PER_PU, &calls);
    if (r.err.status != PLB_OK) {
        printf("%-10s %6d PUs, %s: %s\n", b->name, r.n_pus, mixed_case_names[which], r.err.text);
        return;
    }
    const struct plb_simulated *s = &r.simulated;
    double blocks = (double)calls.blocks;
    printf("%-10s %6d PUs, %-12s  makespan %7.3f of the optimum  %7.0f blocks  %5.2f questions each  "
           "%4lld solves  master %8.3f s, %6.2f us per block  simulated in %6.2f s\n",
           b->name, r.n_pus, mixed_case_names[which], s->makespan_s / s->optimum_s, blocks,
           (double)calls.questions / blocks, (long long)r.solves, s->master_s, 1e6 * s->master_s / blocks,
           r.wall_s);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const int nodes[] = {1, 100, 200, 1000};
    int most = argc > 1 ? atoi(argv[1]) : 10000;
    for (int b = 0; plb_balancers[b] != NULL; b++)
        for (int which = 0; which < MIXED_CASES; which++)
            for (int n = 0; n < 4 && nodes[n] * PUS_OF_A_NODE <= most; n++)
                run(plb_balancers[b], nodes[n], (enum mixed_case)which);
    return 0;
}
