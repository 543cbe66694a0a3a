/* Reads and writes NumPy's .npy files (NEP 1: magic, version, a Python dict literal, the data).
 *
 * The rule: nothing is believed before it is checked against the file's length, so a header that
 * promises more than there is costs a sentence, not memory. An array in the other order than the
 * wanted one is transposed slab by slab while it is read, which costs one slab more than the array.
 * Weak at: files on pipes (the length is needed), and headers with keys of their own. */
#include "format/npy.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "data is copied as it lies in the file");

#define MAGIC "\x93NUMPY"
#define MAGIC_BYTES 6
#define RECORDS "[...]"           /* stands for the list that describes a structured dtype */
#define HEADER_MOST (1 << 20)     /* a real header has about 100 bytes */
#define SLAB_BYTES (32 << 20)     /* read at a time when transposing */
#define CALL_BYTES ((size_t)1 << 30) /* one read moves less than 2 GiB on Linux */
#define BLOCK 32                  /* 32 x 32 doubles: both sides of a transposed block fit in L1 */

struct file {
    const char *path;
    int fd;
    int64_t bytes;
    struct plb_error *err;
};

struct header {
    char descr[32];               /* cut short where longer: it is then refused anyway */
    bool fortran_order;
    int64_t dimensions;
    int64_t shape[2];             /* the first two; saturated at INT64_MAX */
    size_t element_bytes;
    int64_t data_at, data_bytes;
};

static const char *const keys[] = {"descr", "fortran_order", "shape"};
enum { KEY_DESCR, KEY_FORTRAN_ORDER, KEY_SHAPE, KEYS };

/* ------------------------------------------------------------------- file */

static int open_file(struct file *file)
{
    struct stat info;
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang it */
    if (file->fd < 0 || fstat(file->fd, &info) != 0)
        return plb_fail(file->err, PLB_EINPUT, "%s: cannot be read: %s; check the path and its "
                        "permissions", file->path, strerror(errno));
    if (!S_ISREG(info.st_mode))
        return plb_fail(file->err, PLB_EINPUT, "%s: is a %s, but an .npy file was expected; name a "
                        "file written with numpy.save", file->path,
                        S_ISDIR(info.st_mode) ? "folder" : "device or pipe");
    file->bytes = info.st_size;
    return PLB_OK;
}

static int read_at(const struct file *file, void *into, size_t bytes, int64_t at)
{
    char *to = into;
    while (bytes > 0) {
        ssize_t got = pread(file->fd, to, bytes < CALL_BYTES ? bytes : CALL_BYTES, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return plb_fail(file->err, PLB_EINPUT, "%s: cannot be read at byte %" PRId64 ": %s; "
                            "check the disk or copy the file again", file->path, at,
                            strerror(errno));
        if (got == 0)
            return plb_fail(file->err, PLB_EINPUT, "%s: ended at byte %" PRId64 " although it had "
                            "%" PRId64 " bytes when it was opened; do not write to it during a run",
                            file->path, at, file->bytes);
        to += got;
        bytes -= (size_t)got;
        at += got;
    }
    return PLB_OK;
}

/* ----------------------------------------- the dict literal in the header
 * These return NULL, or what was expected at scan->at. */

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || (*scan->at >= '\t' && *scan->at <= '\r')))
        scan->at++;
}

static bool take(struct scan *scan, char wanted)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != wanted)
        return false;
    scan->at++;
    return true;
}

static const char *scan_string(struct scan *scan, char *into, size_t room)
{
    char quote = '\'';
    if (!take(scan, quote)) {
        quote = '"';
        if (!take(scan, quote))
            return "a quoted string";
    }
    const char *close = memchr(scan->at, quote, (size_t)(scan->end - scan->at));
    if (close == NULL)
        return "a string with its closing quote";
    size_t length = (size_t)(close - scan->at);
    size_t kept = length < room ? length : room - 1;
    for (size_t i = 0; i < kept; i++)
        into[i] = scan->at[i] >= ' ' && scan->at[i] <= '~' ? scan->at[i] : '?';
    into[kept] = '\0';
    scan->at = close + 1;
    return NULL;
}

static const char *scan_flag(struct scan *scan, bool *flag)
{
    static const char *const words[] = {"False", "True"};
    skip_blanks(scan);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) >= length &&
            memcmp(scan->at, words[i], length) == 0) {
            scan->at += length;
            *flag = i == 1;
            return NULL;
        }
    }
    return "True or False as the value of 'fortran_order'";
}

static const char *scan_shape(struct scan *scan, struct header *header)
{
    bool comma = true;
    if (!take(scan, '('))
        return "a tuple as the value of 'shape'";
    header->dimensions = 0;
    while (!take(scan, ')')) {
        if (!comma || scan->at == scan->end || *scan->at < '0' || *scan->at > '9')
            return comma ? "a whole number or ')' in 'shape'" : "',' or ')' in 'shape'";
        int64_t size = 0;
        for (; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; scan->at++)
            if (__builtin_mul_overflow(size, 10, &size) ||
                __builtin_add_overflow(size, *scan->at - '0', &size))
                size = INT64_MAX;
        if (scan->at < scan->end && *scan->at == 'L') /* long integers of Python 2 */
            scan->at++;
        if (header->dimensions < 2)
            header->shape[header->dimensions] = size;
        header->dimensions++;
        comma = take(scan, ',');
    }
    /* (5) is a number in Python, not a tuple */
    return header->dimensions == 1 && !comma ? "',' after the only number in 'shape'" : NULL;
}

static const char *scan_dict(struct scan *scan, struct header *header)
{
    bool seen[KEYS] = {false};
    if (!take(scan, '{'))
        return "'{'";
    for (bool comma = true; !take(scan, '}'); comma = take(scan, ',')) {
        char name[16];
        int key = 0;
        if (!comma)
            return "',' or '}'";
        const char *wrong = scan_string(scan, name, sizeof name);
        if (wrong != NULL)
            return wrong;
        while (key < KEYS && strcmp(name, keys[key]) != 0)
            key++;
        if (key == KEYS || seen[key])
            return "before it 'descr', 'fortran_order' or 'shape', each only once";
        seen[key] = true;
        if (!take(scan, ':'))
            return "':'";
        if (key == KEY_DESCR && take(scan, '[')) {
            strcpy(header->descr, RECORDS);
            return NULL; /* will be refused as a type; what else is in the header is moot */
        }
        wrong = key == KEY_DESCR           ? scan_string(scan, header->descr, sizeof header->descr)
                : key == KEY_FORTRAN_ORDER ? scan_flag(scan, &header->fortran_order)
                                           : scan_shape(scan, header);
        if (wrong != NULL)
            return wrong;
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return "before it all of 'descr', 'fortran_order' and 'shape'";
    skip_blanks(scan);
    return scan->at == scan->end ? NULL : "nothing but spaces after '}'";
}

/* ----------------------------------------------------------------- header */

/* Finds where the text of the header begins and how long it is. */
static int read_preamble(const struct file *file, int64_t *text_at, int64_t *text_bytes)
{
    unsigned char head[12] = {0};
    int64_t have = file->bytes < 12 ? file->bytes : 12;
    int status = read_at(file, head, (size_t)have, 0);
    if (status != PLB_OK)
        return status;
    if (have == 0 || memcmp(head, MAGIC, have < MAGIC_BYTES ? (size_t)have : MAGIC_BYTES) != 0)
        return plb_fail(file->err, PLB_EINPUT, "%s: is not an .npy file: %s, but \\x93NUMPY was "
                        "expected as its first bytes; write it with numpy.save", file->path,
                        have == 0 ? "it is empty" : "it begins with other bytes");
    if (have >= 8 && (head[6] < 1 || head[6] > 3 || head[7] != 0))
        return plb_fail(file->err, PLB_EINPUT, "%s: has .npy version %d.%d, but 1.0, 2.0 or 3.0 "
                        "was expected; write it again with numpy.save", file->path, head[6],
                        head[7]);
    *text_at = head[6] == 1 ? 10 : 12;
    *text_bytes = head[8] | head[9] << 8;
    if (head[6] != 1)
        *text_bytes |= (int64_t)head[10] << 16 | (int64_t)head[11] << 24;
    if (file->bytes - *text_at < *text_bytes)
        return plb_fail(file->err, PLB_EINPUT, "%s: is truncated inside its header: %" PRId64
                        " bytes found, at least %" PRId64 " expected; copy or write it again",
                        file->path, file->bytes, *text_at + (have < *text_at ? 0 : *text_bytes));
    if (*text_bytes > HEADER_MOST)
        return plb_fail(file->err, PLB_EINPUT, "%s: has a malformed .npy header: %" PRId64 " bytes "
                        "long, but at most %d were expected; write it again with numpy.save",
                        file->path, *text_bytes, HEADER_MOST);
    return PLB_OK;
}

static int check_type(const struct file *file, struct header *header)
{
    const char *descr = header->descr;
    bool single = strcmp(descr, "<f4") == 0;
    if (single || strcmp(descr, "<f8") == 0) {
        header->element_bytes = single ? 4 : 8;
        return PLB_OK;
    }
    if (strcmp(descr, RECORDS) == 0)
        return plb_fail(file->err, PLB_EINPUT, "%s: holds records (a structured dtype), but '<f4' "
                        "or '<f8' was expected; save one field of it, converted with "
                        "a['field'].astype('float64')", file->path);
    if (descr[0] == '>')
        return plb_fail(file->err, PLB_EINPUT, "%s: holds '%s', which is in big-endian byte order, "
                        "but '<f4' or '<f8' (little-endian) was expected; convert it with "
                        "a.astype('%s')", file->path, descr,
                        strcmp(descr, ">f4") == 0 ? "<f4" : "<f8");
    return plb_fail(file->err, PLB_EINPUT, "%s: holds '%s', but '<f4' (float32) or '<f8' (float64) "
                    "was expected; convert it with a.astype('float64')", file->path, descr);
}

static int check_shape(const struct file *file, struct header *header)
{
    int64_t elements;
    if (header->dimensions < 1 || header->dimensions > 2)
        return plb_fail(file->err, PLB_EINPUT, "%s: has %" PRId64 " dimensions, but one or two "
                        "were expected; %s", file->path, header->dimensions,
                        header->dimensions == 0 ? "save it as a.reshape(1)"
                                                : "save it as a.reshape(len(a), -1)");
    if (header->dimensions == 1)
        header->shape[1] = 1;
    if (header->shape[0] == 0 || header->shape[1] == 0)
        return plb_fail(file->err, PLB_EINPUT, "%s: has the shape (%" PRId64 ", %" PRId64 "), so "
                        "there are zero %s, but at least one was expected; name a file with data",
                        file->path, header->shape[0], header->shape[1],
                        header->shape[0] == 0 ? "rows" : "columns");
    if (__builtin_mul_overflow(header->shape[0], header->shape[1], &elements) ||
        __builtin_mul_overflow(elements, (int64_t)header->element_bytes, &header->data_bytes))
        return plb_fail(file->err, PLB_EINPUT, "%s: has the shape (%" PRId64 ", %" PRId64 "), "
                        "which is too large: fewer than 2^63 bytes were expected; write it again "
                        "with numpy.save", file->path, header->shape[0], header->shape[1]);
    int64_t found = file->bytes - header->data_at;
    if (found != header->data_bytes)
        return plb_fail(file->err, PLB_EINPUT, "%s: %s: %" PRId64 " bytes of data found, %" PRId64
                        " expected for the shape (%" PRId64 ", %" PRId64 ") of '%s'; copy or write "
                        "it again", file->path,
                        found < header->data_bytes ? "is truncated" : "has extra bytes at its end",
                        found, header->data_bytes, header->shape[0], header->shape[1],
                        header->descr);
    return PLB_OK;
}

static int read_header(const struct file *file, struct header *header)
{
    int64_t text_at = 0, text_bytes = 0;
    int status = read_preamble(file, &text_at, &text_bytes);
    if (status != PLB_OK)
        return status;
    char *text = plb_grow(NULL, (size_t)text_bytes + 1);
    status = read_at(file, text, (size_t)text_bytes, text_at);
    if (status != PLB_OK)
        goto free_text;
    struct scan scan = {text, text + text_bytes};
    const char *expected = scan_dict(&scan, header);
    if (expected != NULL) {
        status = plb_fail(file->err, PLB_EINPUT, "%s: has a malformed .npy header: at byte %" PRId64
                          " %s was expected; write it again with numpy.save", file->path,
                          text_at + (scan.at - text), expected);
        goto free_text;
    }
    header->data_at = text_at + text_bytes;
    status = check_type(file, header);
    if (status == PLB_OK)
        status = check_shape(file, header);
free_text:
    free(text);
    return status;
}

/* ------------------------------------------------------------------- data */

/* to[i * stride + o] = from[o * inner + i]; inlined so that the size is a constant of each copy. */
static inline __attribute__((always_inline)) void
transpose(char *to, size_t stride, const char *from, size_t outer, size_t inner, size_t size)
{
    for (size_t o0 = 0; o0 < outer; o0 += BLOCK) {
        size_t o1 = outer - o0 < BLOCK ? outer : o0 + BLOCK;
        for (size_t i0 = 0; i0 < inner; i0 += BLOCK) {
            size_t i1 = inner - i0 < BLOCK ? inner : i0 + BLOCK;
            for (size_t i = i0; i < i1; i++)
                for (size_t o = o0; o < o1; o++)
                    memcpy(to + (i * stride + o) * size, from + (o * inner + i) * size, size);
        }
    }
}

static int read_transposed(const struct file *file, const struct header *header, char *data)
{
    /* "lines" are what is contiguous in the file: its rows, or its columns in Fortran order */
    size_t lines = (size_t)header->shape[header->fortran_order ? 1 : 0];
    size_t length = (size_t)header->shape[header->fortran_order ? 0 : 1];
    size_t size = header->element_bytes;
    size_t step = SLAB_BYTES / (length * size);
    step = step < BLOCK ? BLOCK : step;
    step = step < lines ? step : lines;
    char *slab = plb_grow(NULL, step * length * size);
    int status = PLB_OK;
    for (size_t first = 0; first < lines; first += step) {
        size_t count = lines - first < step ? lines - first : step;
        status = read_at(file, slab, count * length * size,
                         header->data_at + (int64_t)(first * length * size));
        if (status != PLB_OK)
            break;
        if (size == 4)
            transpose(data + first * size, lines, slab, count, length, 4);
        else
            transpose(data + first * size, lines, slab, count, length, 8);
    }
    free(slab);
    return status;
}

static int read_data(const struct file *file, const struct header *header, bool column_major,
                     void *data)
{
    bool line = header->shape[0] == 1 || header->shape[1] == 1; /* both orders are the same */
    if (line || header->fortran_order == column_major)
        return read_at(file, data, (size_t)header->data_bytes, header->data_at);
    return read_transposed(file, header, data);
}

int plb_npy_read(const char *path, enum plb_order order, bool header_only, struct plb_array *array,
                 struct plb_error *err)
{
    struct file file = {.path = path, .fd = -1, .err = err};
    struct header header = {.dimensions = 0};
    bool column_major = order == PLB_COLUMN_MAJOR;
    void *data = NULL;
    int status = open_file(&file);
    if (status != PLB_OK)
        goto close_file;
    status = read_header(&file, &header);
    if (status != PLB_OK)
        goto close_file;
    if (!header_only) {
        data = plb_alloc((size_t)header.data_bytes);
        status = read_data(&file, &header, column_major, data);
        if (status != PLB_OK)
            goto free_data;
    }
    *array = (struct plb_array){.data = data, .element_bytes = header.element_bytes,
                                .rows = header.shape[0], .columns = header.shape[1],
                                .column_major = column_major};
    goto close_file;
free_data:
    free(data);
close_file:
    if (file.fd >= 0)
        close(file.fd);
    return status;
}
