/* An .npy file, in both orders. */
#include <stdbool.h>

#include "format/npy/npy.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (int order = PLB_ROW_MAJOR; order <= PLB_COLUMN_MAJOR; order++) {
        struct plb_array array;
        struct plb_error err = {.status = PLB_OK};
        if (plb_npy_read(path, (enum plb_order)order, false, &array, &err) == PLB_OK) {
            fuzz_check(array.rows > 0 && array.columns > 0 && array.data != NULL, "an array without data");
            free(array.data);
        }
        fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "an .npy file is refused without a sentence");
    }
    return 0;
}
