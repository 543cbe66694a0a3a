/* Images: a part of the kernel API (plb/kernel.h, which includes it). */
#ifndef PLB_IMAGE_H
#define PLB_IMAGE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plb_app;

#define PLB_MOST_PIXELS 1000000 /* of an image's width or height; libpng writes no longer line */

#define PLB_PALETTE_BYTES 768 /* red, green and blue of 256 colours */

/* Pixels row by row from the top, without gaps, in bytes of the sRGB colour space. */
struct plb_image {
    const uint8_t *data;    /* width * height * channels bytes */
    int64_t width, height;  /* 1 to PLB_MOST_PIXELS each; data is less than 4 GiB */
    int channels;           /* 1: gray, or with a palette the number of a colour; 3: red, green, blue */
    const uint8_t *palette; /* channels 1: PLB_PALETTE_BYTES bytes; NULL: gray */
};

/* Says in setup that an image is a result, a .png file. All that plb_app_save_npy says of room, names, .wrong
 * and .partial holds for it, and it counts as one of the 32 results. The description, the palette and the
 * path are copied, the pixels are borrowed until the run ends; in a simulation `data` may be NULL. */
void plb_app_save_png(struct plb_app *app, const char *path, const struct plb_image *image);

/* Reads a .png file: gray in 1 channel, and all others in 3, 8 bits each, in the sRGB colour space. Numbers
 * of 16 bits are rounded. Transparent pixels are laid on black. image->palette is NULL, and image->data
 * memory of the app; in a simulation only the header is read, and it is NULL. PLB_OK; or PLB_EINPUT, after it
 * has described the mistake. */
int plb_read_png(struct plb_app *app, const char *path, struct plb_image *image);

#ifdef __cplusplus
}
#endif

#endif
