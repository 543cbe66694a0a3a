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

static int reads(const struct folder *folder, const void *bytes, size_t n, struct plb_image *image,
                 struct plb_error *err)
{
    *err = (struct plb_error){.status = PLB_OK};
    *image = (struct plb_image){.width = -7};
    put(folder->file, bytes, n);
    return plb_png_read(folder->file, false, image, err);
}

/* The bytes of an image's file, to be freed. */
static char *file_of(const struct folder *folder, const struct plb_image *image, size_t *n)
{
    free(there_and_back(folder, image));
    FILE *file = fopen(folder->file, "rb");
    char *bytes = malloc(1 << 20);
    *n = fread(bytes, 1, 1 << 20, file);
    fclose(file);
    return bytes;
}

/* Gray stays gray, and colours of a palette become red, green and blue. */
static void test_reads(void **state)
{
    enum { W = 67, H = 31 };
    static uint8_t pixels[H * W * 3], palette[PLB_PALETTE_BYTES];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(plb_random_bits(1, i));
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (uint8_t)(plb_random_bits(2, i));
    const struct plb_image cases[] = {
        {pixels, W, H, 1, NULL}, {pixels, W, H, 3, NULL}, {pixels, W, H, 1, palette}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct plb_image got;
        struct plb_error err;
        size_t n;
        char *bytes = file_of(*state, &cases[c], &n);
        assert_int_equal(reads(*state, bytes, n, &got, &err), PLB_OK);
        assert_true(got.width == W && got.height == H && got.palette == NULL);
        assert_int_equal(got.channels, c == 0 ? 1 : 3);
        for (size_t i = 0; i < (size_t)(W * H * got.channels); i++)
            assert_int_equal(got.data[i], c == 2 ? palette[3 * pixels[i / 3] + i % 3] : pixels[i]);
        free((void *)got.data);
        assert_int_equal(plb_png_read(((struct folder *)*state)->file, true, &got, &err), PLB_OK);
        assert_true(got.width == W && got.data == NULL);
        free(bytes);
    }
}

static void refused(const struct folder *folder, const char *bytes, size_t n, const char *words)
{
    struct plb_image got;
    struct plb_error err;
    assert_int_equal(reads(folder, bytes, n, &got, &err), PLB_EINPUT);
    assert_int_equal(got.width, -7); /* not touched */
    if (strstr(err.text, words) == NULL || strstr(err.text, "expected") == NULL)
        fail_msg("'%s' is missing in: %s", words, err.text);
}

static void put_32(char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (char)(value >> (24 - 8 * i));
}

/* Claims another width and height, with the right checksum (zlib's crc32 of the header). */
static void claim(char *bytes, uint32_t width, uint32_t height)
{
    uint32_t crc = UINT32_MAX;
    put_32(bytes + 16, width);
    put_32(bytes + 20, height);
    for (int i = 12; i < 29; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int k = 0; k < 8; k++)
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    put_32(bytes + 29, ~crc);
}

static void test_refuses_to_read(void **state)
{
    static uint8_t pixels[40 * 40];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(plb_random_bits(1, i));
    size_t n;
    char *bytes = file_of(*state, &(struct plb_image){pixels, 40, 40, 1, NULL}, &n);
    refused(*state, bytes, 0, "a whole .png file");
    refused(*state, "GIF89a image", 12, "a whole .png file");
    refused(*state, bytes, n / 2, "a whole .png file");
    claim(bytes, 40, 41);
    refused(*state, bytes, n, "a whole .png file");
    claim(bytes, 0, 40);
    refused(*state, bytes, n, "a whole .png file");
    claim(bytes, 60000, 60000);
    refused(*state, bytes, n, "has fewer bytes than its pixels need");
    claim(bytes, 1000001, 1);
    refused(*state, bytes, n, ".png");
    claim(bytes, 90000, 90000);
    refused(*state, bytes, n, "has 90000 x 90000 pixels");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_FOLDER(test_kinds_of_images),
        cmocka_unit_test(test_refuses),
        TEST_IN_FOLDER(test_reads),
        TEST_IN_FOLDER(test_refuses_to_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
