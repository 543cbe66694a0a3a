/* An image: its header alone, and its pixels. */
#include "format/png.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    for (int header_only = 1; header_only >= 0; header_only--) {
        struct plb_image image;
        struct plb_error err = {.status = PLB_OK};
        if (plb_png_read(path, header_only, &image, &err) == PLB_OK) {
            fuzz_check(image.width > 0 && image.height > 0, "an image of no size");
            fuzz_check(image.channels == 1 || image.channels == 3, "an image of no colour");
            fuzz_check((image.data == NULL) == header_only, "pixels that nobody wanted, or none");
            unsigned sum = 0; /* every byte is there */
            for (int64_t i = 0; i < image.width * image.height * image.channels && !header_only; i++)
                sum += image.data[i];
            fuzz_check(sum < UINT32_MAX, "a sum that no image has");
            free((void *)image.data);
        }
        fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "an image is refused without a sentence");
    }
    return 0;
}
