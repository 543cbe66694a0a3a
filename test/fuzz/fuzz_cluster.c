/* A .cluster file, to emulate and to simulate. */
#include <stdbool.h>

#include "config/cluster_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (int simulate = 0; simulate < 2; simulate++) {
        struct plb_cluster_spec spec;
        struct plb_error err = {.status = PLB_OK};
        if (plb_cluster_read(path, "spmm", simulate == 1, &spec, &err) == PLB_OK) {
            fuzz_check(spec.n_nodes > 0, "a cluster without nodes");
            plb_cluster_fini(&spec);
        }
        fuzz_check(err.status == PLB_OK || err.text[0] != '\0',
                   "a .cluster file is refused without a sentence");
    }
    return 0;
}
