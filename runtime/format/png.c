/* libpng's simplified interface: a whole image from memory. It compresses on one core, about 50 MB of pixels
 * a second. */
#include "format/png.h"

#include <inttypes.h>
#include <png.h>
#include <stdlib.h>

#include "base/memory.h"
#include "format/input_file.h"

_Static_assert(PLB_MOST_PIXELS <= PNG_USER_WIDTH_MAX, "libpng writes lines of this length");
_Static_assert(PLB_MOST_PIXELS <= PNG_USER_HEIGHT_MAX, "libpng writes so many lines");

/* Bytes of what is no pixel: signature, header, palette, colour space, end. Larger than needed. */
#define AROUND 4096

int64_t plb_png_most(const char *path, const struct plb_image *image, struct plb_error *err)
{
    bool sized = image->width >= 1 && image->width <= PLB_MOST_PIXELS && image->height >= 1
              && image->height <= PLB_MOST_PIXELS && (image->channels == 1 || image->channels == 3)
              && image->width * image->height * image->channels <= UINT32_MAX;
    if (!sized || image->data == NULL) {
        plb_fail(err, PLB_EFAILED,
                 "%s: cannot be written: an image of %" PRId64 " x %" PRId64 " pixels in %d channels%s, but "
                 "1 to %d pixels each way in 1 or 3 channels, less than 4 GiB, were expected; this is a "
                 "mistake in "
                 "the kernel",
                 path, image->width, image->height, image->channels,
                 image->data == NULL ? " without data" : "", PLB_MOST_PIXELS);
        return -1;
    }
    /* A byte before each line. Pixels that do not compress are stored: 5 bytes for each 16 KB or less, 12
     * for each part of 8 KB that libpng writes. */
    int64_t pixels = image->height * (image->width * image->channels + 1);
    return pixels + pixels / 256 + AROUND;
}

int plb_png_print(const char *path, const struct plb_image *image, FILE *out, struct plb_error *err)
{
    bool coloured = image->channels == 1 && image->palette != NULL;
    png_image png = {
        .version = PNG_IMAGE_VERSION,
        .width = (png_uint_32)image->width,
        .height = (png_uint_32)image->height,
        .format = coloured             ? PNG_FORMAT_RGB_COLORMAP
                : image->channels == 3 ? PNG_FORMAT_RGB
                                       : PNG_FORMAT_GRAY,
        .colormap_entries = coloured ? 256 : 0,
    };
    if (png_image_write_to_stdio(&png, out, 0, image->data, 0, coloured ? image->palette : NULL) != 0)
        return PLB_OK;
    return plb_fail(err, PLB_EFAILED, "%s: cannot be written: libpng says: %s", path, png.message);
}

/* Pixels that a byte of a file can stand for: 8 of them are in a byte, and a byte of compressed data becomes
 * 1032 at most (RFC 1951). A header that claims more would take memory for nothing. */
#define PIXELS_PER_BYTE 8256

static int refuse(const char *path, const char *why, struct plb_error *err)
{
    return plb_fail(err, PLB_EINPUT, "%s: %s, but a whole .png file was expected; save the image again", path,
                    why);
}

/* Checks the size that the header claims, and reads the pixels. */
static int read_pixels(png_image *png, const struct plb_input_file *file, bool header_only,
                       struct plb_image *image, struct plb_error *err)
{
    const int channels = (png->format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
    const int64_t pixels = (int64_t)png->width * png->height;
    if (png->width > PLB_MOST_PIXELS || png->height > PLB_MOST_PIXELS
        || pixels > (int64_t)UINT32_MAX / channels)
        return plb_fail(err, PLB_EINPUT,
                        "%s: has %" PRIu32 " x %" PRIu32 " pixels, but at most %d each way and less than 4 "
                        "GiB were expected; cut it into parts",
                        file->path, png->width, png->height, PLB_MOST_PIXELS);
    if (pixels / PIXELS_PER_BYTE > file->bytes)
        return refuse(file->path, "has fewer bytes than its pixels need", err);
    *image = (struct plb_image){NULL, png->width, png->height, channels, NULL};
    if (header_only)
        return PLB_OK;
    const png_color black = {0, 0, 0};
    uint8_t *data = plb_alloc((size_t)(pixels * channels));
    png->format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    if (png_image_finish_read(png, &black, data, 0, NULL) == 0) {
        free(data);
        return refuse(file->path, png->message, err);
    }
    image->data = data;
    return PLB_OK;
}

int plb_png_read(const char *path, bool header_only, struct plb_image *image, struct plb_error *err)
{
    struct plb_input_file file;
    struct plb_image read;
    png_image png = {.version = PNG_IMAGE_VERSION};
    uint8_t *bytes = NULL;
    int status = plb_input_open(&file, path, "an image was expected; name a .png file", err);
    if (status == PLB_OK) {
        bytes = plb_alloc((size_t)file.bytes);
        status = plb_input_read_all(&file, bytes, (size_t)file.bytes, 0, err);
    }
    if (status == PLB_OK && png_image_begin_read_from_memory(&png, bytes, (size_t)file.bytes) == 0)
        status = refuse(path, png.message, err);
    if (status == PLB_OK)
        status = read_pixels(&png, &file, header_only, &read, err);
    if (status == PLB_OK)
        *image = read;
    png_image_free(&png);
    free(bytes);
    plb_input_close(&file);
    return status;
}
