/* A Gaussian blur of some rows of an image. */
#ifndef ROWS_H
#define ROWS_H

#include "plb/kernel.h"

enum element { BYTES, FLOATS, DOUBLES }; /* of the image that is read */

/* Numbers beyond the image's border, with the meaning of scipy.ndimage's modes. */
#define MODES "reflect|mirror|nearest|constant"
enum mode { REFLECT, MIRROR, NEAREST, CONSTANT }; /* the option `mode`; constant is 0 */

/* The constants of a job. */
struct blur {
    int64_t width, height, radius; /* pixels */
    int32_t channels;              /* numbers of a pixel, side by side */
    int32_t element, mode;         /* of the two enums */
    int32_t values, pixels; /* which results are wanted; values are float64 for DOUBLES, else float32 */
};

/* Where a pixel's number i of a row or column of n lies: 0 to n - 1, or -1 beyond the border. */
int64_t place_of(enum mode mode, int64_t i, int64_t n);

/* Number i of an image whose rows begin at `rows`. */
double number_at(const struct blur *b, const void *rows, int64_t i);

/* Rows that are blurred at a time. More: they leave the second-level cache. Fewer: rows around them are
 * converted more often. */
#define BAND 16

/* Bytes of scratch memory that blur_band needs. */
size_t band_bytes(const struct blur *b);

/* Blurs rows first to first + count - 1, BAND at most. The image's row u begins at `rows` + (u - origin)
 * rows. weights: those of distance 0 to radius. out: count rows of float64. The bits of a row depend on the
 * image alone. scratch: aligned to 64 bytes. */
void blur_band(const struct blur *b, const void *rows, int64_t origin, int64_t first, int64_t count,
               const double *weights, void *scratch, double *out);

#endif
