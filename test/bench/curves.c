/* Profiles as points and curves: F_p and G_p through the samples that a run left (PLB-HeC, Figure 1; PLB-HAC,
 * Figure 2). Usage: curves FILE.profile... Prints CSV: the kernel, the PU, `sample` or `curve`, the cost of a
 * task as a part of the largest one, and its seconds. */
#include <math.h>
#include <stdio.h>

#include "model/fit.h"
#include "profile/profile_file.h"

#define POINTS 60 /* of a curve */

static void print(const struct plb_profile_key *key, const struct plb_profile *profile)
{
    struct plb_model model;
    double low = INFINITY, high = 0.0;
    if (!plb_fit_samples(profile->at, profile->n, 0.0, &model))
        return;
    for (int i = 0; i < profile->n; i++) {
        low = fmin(low, profile->at[i].work);
        high = fmax(high, profile->at[i].work);
    }
    for (int i = 0; i < profile->n; i++)
        printf("%s,%s,sample,%.6g,%.6g\n", key->kernel, key->pu, profile->at[i].work / high,
               profile->at[i].execute_s + profile->at[i].transfer_s);
    for (int i = 0; i <= POINTS; i++) {
        double x = low * pow(high / low, i / (double)POINTS);
        printf("%s,%s,curve,%.6g,%.6g\n", key->kernel, key->pu, x / high, plb_model_time(&model, x));
    }
}

int main(int argc, char **argv)
{
    puts("kernel,pu,what,size,seconds");
    for (int i = 1; i < argc; i++) {
        struct plb_profile_key key;
        struct plb_profile profile;
        const char *wrong = plb_profile_examine(argv[i], &key, &profile);
        if (wrong != NULL) {
            fprintf(stderr, "%s: %s\n", argv[i], wrong);
            return 1;
        }
        print(&key, &profile);
    }
    return 0;
}
