/* Line 1 has five words; each is looked up in a list. The size line has three whole numbers. */
#include "format/mtx/header.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/memory_limit.h"
#include "format/number.h"

/* A matrix with more rows than FEW_ROWS has an entry for every MOST_ROWS_PER_ENTRY of them, so that memory
 * follows what the file holds. Larger: a mistyped size line takes memory and time before somebody notices.
 * Smaller: matrices that are almost empty are refused. Offsets of FEW_ROWS take 8 MB. Guesses: collections
 * have matrices with a few empty rows for each entry, not a thousand. */
#define FEW_ROWS 1000000
#define MOST_ROWS_PER_ENTRY 1000

#define EXPECTED \
    "'%%%%MatrixMarket matrix coordinate|array real|integer|pattern " \
    "general|symmetric|skew-symmetric'" /* for a printf format */

/* Reads the next word of the line. Returns its index in `words`, whatever its case, or `count` where it is
 * not among them; *word is where it begins. */
static int scan_word(struct plb_text *text, const char *const *words, int count, const char **word)
{
    int found = 0;
    plb_text_skip_blanks(text);
    *word = text->at;
    while (!plb_word_ends(text->at))
        text->at++;
    size_t length = (size_t)(text->at - *word);
    while (found < count && (strlen(words[found]) != length || strncasecmp(words[found], *word, length) != 0))
        found++;
    return found;
}

static int refuse_word(const struct plb_text *text, const char *word, const char *remedy)
{
    struct plb_excerpt found = plb_text_excerpt(text, word);
    bool any = found.text[0] != '\0';
    return plb_text_refuse(text,
                           "the header has %s%s%s where another word belongs; expected " EXPECTED "; "
                           "%s",
                           any ? "'" : "", any ? found.text : "nothing", any ? "'" : "", remedy);
}

/* The first three words: %%MatrixMarket matrix coordinate, or array. */
static int read_object(struct plb_text *text, bool *dense)
{
    static const char *const banner[] = {"%%MatrixMarket"};
    static const char *const object[] = {"matrix"};
    static const char *const format[] = {"coordinate", "array"};
    const char *word;
    if (scan_word(text, banner, 1, &word) == 1)
        return plb_text_refuse(text,
                               "is not a Matrix Market file: its first line is '%s', but " EXPECTED
                               " was expected; write it with scipy.io.mmwrite",
                               plb_text_excerpt(text, text->start).text);
    if (scan_word(text, object, 1, &word) == 1)
        return refuse_word(text, word, "only matrices are read");
    int which = scan_word(text, format, 2, &word);
    *dense = which == 1;
    return which < 2 ? PLB_OK : refuse_word(text, word, "write it with scipy.io.mmwrite");
}

/* The fourth and the fifth word: the kind of the values, and the symmetry. */
static int read_kind(struct plb_text *text, struct plb_mtx_header *header, enum plb_symmetry *symmetry)
{
    static const char *const fields[] = {
        [PLB_MTX_REAL] = "real", [PLB_MTX_INTEGER] = "integer", [PLB_MTX_PATTERN] = "pattern", "complex"};
    static const char *const symmetries[] = {[PLB_GENERAL] = "general",
                                             [PLB_SYMMETRIC] = "symmetric",
                                             [PLB_SKEW_SYMMETRIC] = "skew-symmetric",
                                             "hermitian"};
    const char *word;
    int which = scan_word(text, fields, 4, &word);
    if (which == 3)
        return plb_text_refuse(text, "holds complex values, but real, integer or pattern was expected; save "
                                     "the real and the imaginary part as two files");
    if (which == 4)
        return refuse_word(text, word, "write it with scipy.io.mmwrite");
    header->field = (enum plb_mtx_field)which;
    if (header->dense && header->field == PLB_MTX_PATTERN)
        return plb_text_refuse(
            text, "is a pattern of a dense matrix ('array'), which tells nothing; expected real or "
                  "integer; write it with scipy.io.mmwrite");
    which = scan_word(text, symmetries, 4, &word);
    if (which == 3)
        return plb_text_refuse(text, "is hermitian, but general, symmetric or skew-symmetric was expected; "
                                     "for real values write symmetric");
    if (which == 4)
        return refuse_word(text, word, "write it with scipy.io.mmwrite");
    *symmetry = (enum plb_symmetry)which;
    if (!plb_text_line_ends(text))
        return refuse_word(text, text->at, "remove what follows the fifth word");
    return PLB_OK;
}

/* The next number of the size line: whole, and not negative. */
static bool scan_size(struct plb_text *text, int64_t *value)
{
    plb_text_skip_blanks(text);
    const char *end = plb_scan_whole(text->at, value);
    text->at = end != NULL ? end : text->at;
    return end != NULL && *value >= 0;
}

/* Values that a dense file has: all, or of a symmetric matrix one triangle. INT64_MAX where int64_t cannot
 * hold the number. */
static int64_t dense_values(const struct plb_triplets *t)
{
    int64_t longer, twice, all, diagonal = t->symmetry == PLB_SKEW_SYMMETRIC ? -1 : 1;
    if (t->symmetry == PLB_GENERAL)
        return __builtin_mul_overflow(t->rows, t->columns, &all) ? INT64_MAX : all;
    if (__builtin_add_overflow(t->rows, diagonal, &longer) || __builtin_mul_overflow(t->rows, longer, &twice))
        return INT64_MAX;
    return twice / 2;
}

static int read_sizes(struct plb_text *text, bool dense, struct plb_triplets *t)
{
    const char *form = dense ? "two whole numbers, 'rows columns'"
                             : "three whole numbers, 'rows columns entries'";
    if (!plb_text_next_line(text))
        return plb_text_refuse(text, "ends before the size line; expected %s; copy or write the file again",
                               form);
    const char *start = text->at;
    if (!scan_size(text, &t->rows) || !scan_size(text, &t->columns) || (!dense && !scan_size(text, &t->n))
        || !plb_text_line_ends(text))
        return plb_text_refuse(text, "malformed size line '%s'; expected %s; correct the line",
                               plb_text_excerpt(text, start).text, form);
    if (dense)
        t->n = dense_values(t);
    return PLB_OK;
}

/* As many rows as this machine's memory, or this container's, has room for offsets: a mistyped size must not
 * end in a crash. */
static int64_t most_rows(void)
{
    return plb_memory_limit("") / (int64_t)sizeof(int64_t) - 1;
}

static int check_sizes(const struct plb_text *text, const struct plb_triplets *t)
{
    if (t->rows == 0 || t->columns == 0)
        return plb_text_refuse(text, "the matrix has zero %s; expected at least one; name a file with data",
                               t->rows == 0 ? "rows" : "columns");
    if (t->columns > INT32_MAX)
        return plb_text_refuse(text,
                               "%" PRId64 " columns are too many; expected at most %d; split the "
                               "matrix by columns",
                               t->columns, INT32_MAX);
    if (t->symmetry != PLB_GENERAL && t->rows != t->columns)
        return plb_text_refuse(text,
                               "a symmetric matrix has %" PRId64 " rows and %" PRId64 " columns; "
                               "expected a square one; correct the sizes or write 'general' in line 1",
                               t->rows, t->columns);
    if (t->rows > most_rows())
        return plb_text_refuse(text,
                               "%" PRId64 " rows are too many; expected at most %" PRId64 ", as many "
                               "as this machine's memory can index; correct the size or use a larger "
                               "machine",
                               t->rows, most_rows());
    if (t->rows > FEW_ROWS && t->rows / MOST_ROWS_PER_ENTRY > t->n)
        return plb_text_refuse(text,
                               "%" PRId64 " rows are too many for %" PRId64 " entries; expected at most %d "
                               "rows for each; correct the size line, or leave out empty rows",
                               t->rows, t->n, MOST_ROWS_PER_ENTRY);
    return PLB_OK;
}

int plb_mtx_read_header(struct plb_text *text, struct plb_mtx_header *header, struct plb_triplets *t)
{
    int status = read_object(text, &header->dense);
    if (status == PLB_OK)
        status = read_kind(text, header, &t->symmetry);
    if (status == PLB_OK)
        status = read_sizes(text, header->dense, t);
    if (status == PLB_OK)
        status = check_sizes(text, t);
    return status;
}
