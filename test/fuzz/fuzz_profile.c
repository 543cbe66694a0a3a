/* A file of the profile cache. */
#include <math.h>
#include <stdbool.h>

#include "fuzz.h"
#include "profile/profile_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plb_profile_key key;
    struct plb_profile profile = {.n = 0};
    if (plb_profile_examine(fuzz_file(data, size), &key, &profile) != NULL)
        return 0;
    fuzz_check(profile.n >= 0 && profile.n <= PLB_PROFILE_ROWS, "a profile has too many samples");
    for (int i = 0; i < profile.n; i++)
        fuzz_check(isfinite(profile.at[i].work) && profile.at[i].work > 0.0, "a sample has no work");
    return 0;
}
