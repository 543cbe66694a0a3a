/* A Matrix Market file. The result is a matrix in compressed sparse rows. */
#include <math.h>
#include <stdbool.h>

#include "format/mtx/mtx.h"
#include "fuzz.h"

static void check(const struct plb_csr *m, bool nonfinite)
{
    fuzz_check(m->offsets[0] == 0 && m->offsets[m->rows] == m->nonzeros, "offsets begin or end wrongly");
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t i = m->offsets[row]; i < m->offsets[row + 1]; i++) {
            fuzz_check(m->indices[i] >= 0 && m->indices[i] < m->columns, "a column is out of range");
            fuzz_check(i == m->offsets[row] || m->indices[i - 1] < m->indices[i], "columns do not ascend");
            fuzz_check(nonfinite || !isnan(m->values[i]), "a value is not a number");
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (int nonfinite = 0; nonfinite < 2; nonfinite++) {
        struct plb_csr m;
        struct plb_error err = {.status = PLB_OK};
        if (plb_mtx_read(path, nonfinite == 1, &m, &err) == PLB_OK) {
            check(&m, nonfinite == 1);
            free(m.offsets);
            free(m.indices);
            free(m.values);
        }
        fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "an .mtx file is refused without a sentence");
    }
    return 0;
}
