/* libpng's simplified interface: a whole image from memory. It compresses on one core, about 50 MB of pixels
 * a second. */
#include "format/png.h"

#include <inttypes.h>
#include <png.h>

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
