/* Reads Matrix Market coordinate files (Boisvert, Pozo, Remington: NISTIR 5935, 1996).
 *
 * The rule: one pass over the text checks every line and keeps the entries as triplets, which
 * triplets.c turns into compressed sparse rows.
 * Cost: O(bytes + nonzeros), and memory for the text, then 24 bytes an entry and the result.
 * Weak at: files on pipes, and rows out of order (see triplets.c). */
#include "format/mtx.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/triplets.h"

#define CALL_BYTES ((size_t)1 << 30) /* one read moves less than 2 GiB on Linux */
#define EXPECTED "'%%%%MatrixMarket matrix coordinate real|integer|pattern " \
                 "general|symmetric|skew-symmetric'" /* for a printf format */

/* The text being read; `at` is always in line number `line`, and *end is NUL. */
struct text {
    const char *path;
    char *start;
    const char *at, *end;
    int64_t line;
    struct plb_error *err;
};

/* ------------------------------------------------------------------- text */

static int load(struct text *text)
{
    struct stat info;
    size_t used = 0;
    int status = PLB_OK;
    int fd = open(text->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe must not hang it */
    if (fd < 0 || fstat(fd, &info) != 0) {
        status = plb_fail(text->err, PLB_EINPUT, "%s: cannot be read: %s; check the path and its "
                          "permissions", text->path, strerror(errno));
        goto close_file;
    }
    if (!S_ISREG(info.st_mode)) {
        status = plb_fail(text->err, PLB_EINPUT, "%s: is a %s, but a Matrix Market file was "
                          "expected; name an .mtx file", text->path,
                          S_ISDIR(info.st_mode) ? "folder" : "device or pipe");
        goto close_file;
    }
    size_t bytes = (size_t)info.st_size;
    text->start = plb_grow(NULL, bytes + 1);
    while (used < bytes) {
        size_t left = bytes - used;
        ssize_t got = read(fd, text->start + used, left < CALL_BYTES ? left : CALL_BYTES);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = plb_fail(text->err, PLB_EINPUT, "%s: cannot be read at byte %zu: %s; check "
                              "the disk or copy the file again", text->path, used,
                              strerror(errno));
            goto close_file;
        }
        if (got == 0)
            break; /* it was cut while being read: the missing entries will be noticed */
        used += (size_t)got;
    }
    text->start[used] = '\0';
    text->at = text->start;
    text->end = text->start + used;
    text->line = 1;
close_file:
    if (fd >= 0)
        close(fd);
    return status;
}

static bool blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static void skip_blanks(struct text *text)
{
    while (blank(*text->at))
        text->at++;
}

static bool at_line_end(struct text *text)
{
    skip_blanks(text);
    return *text->at == '\n' || text->at == text->end;
}

/* Goes to the next line that holds something other than a comment, from anywhere in a line that
 * was read to its end, or from the start of one. */
static bool next_line(struct text *text)
{
    while (text->at < text->end) {
        skip_blanks(text);
        if (*text->at == '%') {
            const char *feed = memchr(text->at, '\n', (size_t)(text->end - text->at));
            text->at = feed != NULL ? feed : text->end;
        }
        if (text->at == text->end)
            return false;
        if (*text->at != '\n')
            return true;
        text->at++;
        text->line++;
    }
    return false;
}

/* A line's start, fit for a message. */
struct excerpt {
    char text[64];
};

static struct excerpt excerpt(const struct text *text, const char *from)
{
    struct excerpt result;
    size_t length = 0;
    size_t room = sizeof result.text - 4;
    for (; from + length < text->end && from[length] != '\n' && length < room; length++)
        result.text[length] = from[length] >= ' ' && from[length] <= '~' ? from[length] : '?';
    bool cut = from + length < text->end && from[length] != '\n';
    while (length > 0 && (from[length - 1] == '\r' || from[length - 1] == ' '))
        length--;
    strcpy(result.text + length, cut ? "..." : "");
    return result;
}

/* ---------------------------------------------------------------- numbers */

static bool digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool number_ends(const char *at)
{
    return blank(*at) || *at == '\n' || *at == '\0';
}

/* A whole number, held at INT64_MAX or -INT64_MAX where it is larger than that. */
static bool scan_whole(struct text *text, int64_t *value)
{
    skip_blanks(text);
    const char *at = text->at;
    bool negative = *at == '-';
    int64_t sum = 0;
    if (*at == '-' || *at == '+')
        at++;
    if (!digit(*at))
        return false;
    for (; digit(*at); at++)
        if (__builtin_mul_overflow(sum, 10, &sum) || __builtin_add_overflow(sum, *at - '0', &sum))
            sum = INT64_MAX;
    if (!number_ends(at))
        return false;
    *value = negative ? -sum : sum;
    text->at = at;
    return true;
}

/* A decimal number. Up to 2^53 with a power of ten up to 10^22 both are exact doubles, so that one
 * division or multiplication rounds right (Clinger, PLDI 1990); strtod does the others. */
static bool scan_decimal(struct text *text, bool whole, double *value)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t most = ((uint64_t)1 << 53) / 10 - 1;
    skip_blanks(text);
    const char *at = text->at;
    uint64_t digits = 0;
    int64_t scale = 0, exponent = 0;
    bool exact = true, any = false, fraction = false;
    bool negative = *at == '-';
    if (*at == '-' || *at == '+')
        at++;
    for (; digit(*at) || (*at == '.' && !fraction && !whole); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        any = true;
        exact = exact && digits <= most;
        if (exact)
            digits = digits * 10 + (uint64_t)(*at - '0');
        scale -= fraction;
    }
    if (any && !whole && (*at == 'e' || *at == 'E')) {
        bool down = at[1] == '-';
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        any = digit(*at);
        for (; digit(*at); at++)
            exponent = exponent < 100000 ? exponent * 10 + (*at - '0') : exponent;
        scale += down ? -exponent : exponent;
    }
    if (!any || !number_ends(at))
        return false;
    if (exact && scale >= -22 && scale <= 22) {
        double size = scale < 0 ? (double)digits / tens[-scale] : (double)digits * tens[scale];
        *value = negative ? -size : size;
    } else {
        char *stop;
        *value = strtod(text->at, &stop);
        if (stop != at) /* a locale with another decimal sign */
            return false;
    }
    text->at = at;
    return true;
}

static bool names_no_number(const char *at)
{
    at += *at == '-' || *at == '+';
    return strncasecmp(at, "nan", 3) == 0 || strncasecmp(at, "inf", 3) == 0;
}

/* ----------------------------------------------------------------- header */

/* The place of the next word of the line in `words`, or `count`; *word is where it begins. */
static int scan_word(struct text *text, const char *const *words, int count, const char **word)
{
    int found = 0;
    skip_blanks(text);
    *word = text->at;
    while (!number_ends(text->at))
        text->at++;
    size_t length = (size_t)(text->at - *word);
    while (found < count && (strlen(words[found]) != length ||
                             strncasecmp(words[found], *word, length) != 0))
        found++;
    return found;
}

static int refuse_header(const struct text *text, const char *word, const char *remedy)
{
    struct excerpt found = excerpt(text, word);
    return plb_fail(text->err, PLB_EINPUT, "%s:1: the header has %s%s%s where another word belongs"
                    "; expected " EXPECTED "; %s", text->path, found.text[0] != '\0' ? "'" : "",
                    found.text[0] != '\0' ? found.text : "nothing",
                    found.text[0] != '\0' ? "'" : "", remedy);
}

static int read_header(struct text *text, struct triplets *t)
{
    static const char *const banner[] = {"%%MatrixMarket"};
    static const char *const object[] = {"matrix"};
    static const char *const format[] = {"coordinate", "array"};
    static const char *const field[] = {"real", "integer", "pattern", "complex"};
    static const char *const symmetry[] = {"general", "symmetric", "skew-symmetric", "hermitian"};
    const char *word;
    if (scan_word(text, banner, 1, &word) == 1)
        return plb_fail(text->err, PLB_EINPUT, "%s:1: is not a Matrix Market file: its first line "
                        "is '%s', but " EXPECTED " was expected; write it with scipy.io.mmwrite",
                        text->path, excerpt(text, text->start).text);
    if (scan_word(text, object, 1, &word) == 1)
        return refuse_header(text, word, "only matrices are read");
    int which = scan_word(text, format, 2, &word);
    if (which == 1)
        return plb_fail(text->err, PLB_EINPUT, "%s:1: holds a dense matrix ('array'), but a sparse "
                        "one ('coordinate') was expected; save dense data as .npy with numpy.save",
                        text->path);
    if (which == 2)
        return refuse_header(text, word, "write it with scipy.io.mmwrite");
    int kind = scan_word(text, field, 4, &word);
    if (kind == 3)
        return plb_fail(text->err, PLB_EINPUT, "%s:1: holds complex values, but real, integer or "
                        "pattern was expected; save the real and the imaginary part as two files",
                        text->path);
    if (kind == 4)
        return refuse_header(text, word, "write it with scipy.io.mmwrite");
    int shape = scan_word(text, symmetry, 4, &word);
    if (shape == 3)
        return plb_fail(text->err, PLB_EINPUT, "%s:1: is hermitian, but general, symmetric or "
                        "skew-symmetric was expected; for real values write symmetric", text->path);
    if (shape == 4)
        return refuse_header(text, word, "write it with scipy.io.mmwrite");
    if (!at_line_end(text))
        return refuse_header(text, text->at, "remove what follows the fifth word");
    t->field = (enum field)kind;
    t->symmetry = (enum symmetry)shape;
    return PLB_OK;
}

/* The offsets of the rows must fit into this machine: a mistyped size is not worth a crash. */
static int64_t most_rows(void)
{
    int64_t pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE), bytes;
    if (pages <= 0 || page <= 0 || __builtin_mul_overflow(pages, page, &bytes))
        bytes = INT64_MAX;
    return bytes / (int64_t)sizeof(int64_t) - 1;
}

static int read_sizes(struct text *text, struct triplets *t)
{
    if (!next_line(text))
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": ends before the size line; "
                        "expected 'rows columns entries'; copy or write the file again", text->path,
                        text->line);
    const char *start = text->at;
    if (!scan_whole(text, &t->rows) || !scan_whole(text, &t->columns) ||
        !scan_whole(text, &t->count) || !at_line_end(text) || t->rows < 0 || t->columns < 0 ||
        t->count < 0)
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": malformed size line '%s'; expected "
                        "three whole numbers, 'rows columns entries'; correct the line", text->path,
                        text->line, excerpt(text, start).text);
    if (t->rows == 0 || t->columns == 0)
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": the matrix has zero %s; expected "
                        "at least one; name a file with data", text->path, text->line,
                        t->rows == 0 ? "rows" : "columns");
    if (t->columns > INT32_MAX)
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": %" PRId64 " columns are too many; "
                        "expected at most %d; split the matrix by columns", text->path, text->line,
                        t->columns, INT32_MAX);
    if (t->symmetry != GENERAL && t->rows != t->columns)
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": a symmetric matrix has %" PRId64
                        " rows and %" PRId64 " columns; expected a square one; correct the "
                        "sizes or write 'general' in line 1", text->path, text->line, t->rows,
                        t->columns);
    if (t->rows > most_rows())
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": %" PRId64 " rows are too many; "
                        "expected at most %" PRId64 ", as many as this machine's memory can index; "
                        "correct the size or use a larger machine", text->path, text->line, t->rows,
                        most_rows());
    return PLB_OK;
}

/* ---------------------------------------------------------------- entries */

static int refuse_entry(const struct text *text, const char *start, enum field field)
{
    static const char *const forms[FIELDS] = {
        [REAL] = "'row column value'",
        [INTEGER] = "'row column value', all whole numbers",
        [PATTERN] = "'row column'",
    };
    return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": malformed entry '%s'; expected %s; "
                    "correct the line, or the kind of values in line 1", text->path, text->line,
                    excerpt(text, start).text, forms[field]);
}

static int refuse_index(const struct text *text, const char *what, int64_t found, int64_t most)
{
    return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": %s %" PRId64 " is out of range; "
                    "expected 1 to %" PRId64 " (indices start at 1); correct the line or the size "
                    "line", text->path, text->line, what, found, most);
}

static int read_entry(struct text *text, struct triplets *t, struct entry *entry)
{
    const char *start = text->at;
    int64_t row, column;
    double value = 1.0;
    if (!scan_whole(text, &row) || !scan_whole(text, &column))
        return refuse_entry(text, start, t->field);
    bool read = t->field == PATTERN || scan_decimal(text, t->field == INTEGER, &value);
    if (!read)
        skip_blanks(text);
    if ((!read && names_no_number(text->at)) || !isfinite(value))
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": the value in '%s' is not finite; "
                        "expected a number below 1.8e308 in size; correct or remove the entry",
                        text->path, text->line, excerpt(text, start).text);
    if (!read || !at_line_end(text))
        return refuse_entry(text, start, t->field);
    if (row < 1 || row > t->rows)
        return refuse_index(text, "row", row, t->rows);
    if (column < 1 || column > t->columns)
        return refuse_index(text, "column", column, t->columns);
    if (t->symmetry == SKEW && row == column && value != 0.0)
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": a skew-symmetric matrix has the "
                        "value %g on its diagonal at (%" PRId64 ", %" PRId64 "); expected zero; "
                        "remove the entry or write 'general' in line 1", text->path, text->line,
                        value, row, column);
    t->lower += row > column;
    t->upper += row < column;
    *entry = (struct entry){.row = row - 1, .column = (int32_t)(column - 1), .value = value};
    return PLB_OK;
}

static int read_entries(struct text *text, struct triplets *t)
{
    /* The size line is not believed: "1 1\n" is the shortest entry, so no more can come. */
    int64_t most = (text->end - text->at) / 4 + 1;
    int64_t room = t->count < most ? t->count : most;
    t->entries = plb_grow(NULL, (size_t)room * sizeof *t->entries);
    for (int64_t found = 0; found < t->count; found++) {
        if (!next_line(text))
            return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": is truncated: it ends after %"
                            PRId64 " of %" PRId64 " entries; expected as many as the size line "
                            "says; copy the file again or correct the size line", text->path,
                            text->line, found, t->count);
        int status = read_entry(text, t, &t->entries[found]);
        if (status != PLB_OK)
            return status;
    }
    if (next_line(text))
        return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": more entries than the %" PRId64
                        " that the size line says; expected the end of the file; correct the size "
                        "line or remove the surplus", text->path, text->line, t->count);
    return PLB_OK;
}

/* By the pair of indices regardless of their order, then those below the diagonal first. */
static int by_pair(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int64_t x_low = x->row < x->column ? x->row : x->column;
    int64_t y_low = y->row < y->column ? y->row : y->column;
    int64_t x_high = x->row + x->column - x_low, y_high = y->row + y->column - y_low;
    if (x_low != y_low)
        return x_low < y_low ? -1 : 1;
    if (x_high != y_high)
        return x_high < y_high ? -1 : 1;
    return (x->row < x->column) - (y->row < y->column);
}

/* A file may store either triangle, but one that stores a pair in both would come out doubled. */
static int check_triangles(const struct text *text, const struct triplets *t)
{
    int status = PLB_OK;
    if (t->symmetry == GENERAL || t->upper == 0 || t->lower == 0)
        return PLB_OK;
    size_t bytes = (size_t)t->count * sizeof *t->entries;
    struct entry *sorted = memcpy(plb_grow(NULL, bytes), t->entries, bytes);
    qsort(sorted, (size_t)t->count, sizeof *sorted, by_pair);
    for (int64_t i = 1; i < t->count && status == PLB_OK; i++) {
        const struct entry *one = &sorted[i - 1], *two = &sorted[i];
        if (one->row == two->column && one->column == two->row && one->row != one->column)
            status = plb_fail(text->err, PLB_EINPUT, "%s: is symmetric but stores both (%" PRId64
                              ", %d) and (%d, %" PRId64 "); expected one of the two; keep the "
                              "lower triangle or write 'general' in line 1", text->path,
                              one->row + 1, one->column + 1, one->column + 1, one->row + 1);
    }
    free(sorted);
    return status;
}

int plb_mtx_read(const char *path, struct plb_csr *matrix, struct plb_error *err)
{
    struct text text = {.path = path, .err = err};
    struct triplets t = {.entries = NULL};
    int status = load(&text);
    if (status == PLB_OK)
        status = read_header(&text, &t);
    if (status == PLB_OK)
        status = read_sizes(&text, &t);
    if (status == PLB_OK)
        status = read_entries(&text, &t);
    if (status == PLB_OK)
        status = check_triangles(&text, &t);
    free(text.start);
    if (status != PLB_OK)
        goto free_entries;

    plb_triplets_compress(&t, matrix);
free_entries:
    free(t.entries);
    return status;
}
