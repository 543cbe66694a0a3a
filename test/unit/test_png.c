/* Images: the file has the pixels, and never more bytes than were foreseen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <png.h>

#include "folder.h"
#include "format/png.h"
#include "plb/kernel.h"

/* Writes an image and reads it back as RGB, to be freed. */
static uint8_t *there_and_back(const struct folder *folder, const struct plb_image *image)
{
    struct plb_error err = {.status = PLB_OK};
    int64_t most = plb_png_most("x", image, &err);
    FILE *file = fopen(folder->file, "wb");
    assert_non_null(file);
    assert_int_equal(plb_png_print("x", image, file, &err), PLB_OK);
    assert_true(ftell(file) <= most);
    fclose(file);
    png_image png = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_file(&png, folder->file));
    assert_int_equal(png.width, image->width);
    assert_int_equal(png.height, image->height);
    png.format = PNG_FORMAT_RGB;
    uint8_t *rgb = malloc(PNG_IMAGE_SIZE(png));
    assert_true(png_image_finish_read(&png, NULL, rgb, 0, NULL));
    return rgb;
}

static void test_kinds_of_images(void **state)
{
    enum { W = 301, H = 97 };
    static uint8_t gray[H * W], rgb[H * W * 3], palette[PLB_PALETTE_BYTES];
    for (size_t i = 0; i < sizeof rgb; i++)
        rgb[i] = (uint8_t)(plb_random_bits(1, i)); /* cannot be compressed */
    for (size_t i = 0; i < sizeof gray; i++)
        gray[i] = rgb[3 * i];
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (uint8_t)(plb_random_bits(2, i));
    uint8_t *got = there_and_back(*state, &(struct plb_image){rgb, W, H, 3, NULL});
    assert_memory_equal(got, rgb, sizeof rgb);
    free(got);
    got = there_and_back(*state, &(struct plb_image){gray, W, H, 1, NULL});
    for (size_t i = 0; i < sizeof rgb; i++)
        assert_int_equal(got[i], gray[i / 3]);
    free(got);
    got = there_and_back(*state, &(struct plb_image){gray, W, H, 1, palette});
    for (size_t i = 0; i < sizeof rgb; i++)
        assert_int_equal(got[i], palette[3 * gray[i / 3] + i % 3]);
    free(got);
    free(there_and_back(*state, &(struct plb_image){rgb, 1, 1, 1, NULL}));
    free(there_and_back(*state, &(struct plb_image){rgb, 1, H * W * 3, 1, NULL}));
}

static void test_refuses(void **state)
{
    (void)state;
    static const uint8_t data[1];
    const struct plb_image cases[] = {
        {data, 0, 1, 1, NULL}, {data, 1, -1, 1, NULL},         {data, PLB_MOST_PIXELS + 1, 1, 1, NULL},
        {data, 1, 1, 2, NULL}, {data, 100000, 90000, 1, NULL}, {NULL, 1, 1, 1, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct plb_error err = {.status = PLB_OK};
        assert_true(plb_png_most("a.png", &cases[i], &err) < 0);
        assert_int_equal(err.status, PLB_EFAILED);
        assert_non_null(strstr(err.text, "a.png: cannot be written: an image of "));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_kinds_of_images),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
