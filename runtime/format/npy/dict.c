/* A function for each kind of value. Each returns NULL, or what was expected at scan->at. */
#include "format/npy/dict.h"

#include <string.h>

static const char *const keys[] = {"descr", "fortran_order", "shape"};
enum { KEY_DESCR, KEY_FORTRAN_ORDER, KEY_SHAPE, KEYS };

struct scan {
    const char *at, *end;
};

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && (*scan->at == ' ' || (*scan->at >= '\t' && *scan->at <= '\r')))
        scan->at++;
}

/* Skips blanks, and the character if it comes next. */
static bool take(struct scan *scan, char wanted)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != wanted)
        return false;
    scan->at++;
    return true;
}

static bool at_digit(const struct scan *scan)
{
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
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

static const char *scan_descr(struct scan *scan, struct plb_npy_dict *dict)
{
    if (!take(scan, '['))
        return scan_string(scan, dict->descr, sizeof dict->descr);
    strcpy(dict->descr, PLB_NPY_RECORDS);
    return NULL;
}

static const char *scan_flag(struct scan *scan, bool *flag)
{
    static const char *const words[] = {"False", "True"};
    skip_blanks(scan);
    for (int i = 0; i < 2; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) >= length && memcmp(scan->at, words[i], length) == 0) {
            scan->at += length;
            *flag = i == 1;
            return NULL;
        }
    }
    return "True or False as the value of 'fortran_order'";
}

static int64_t scan_size(struct scan *scan)
{
    int64_t size = 0;
    for (; at_digit(scan); scan->at++)
        if (__builtin_mul_overflow(size, 10, &size) || __builtin_add_overflow(size, *scan->at - '0', &size))
            size = INT64_MAX;
    if (scan->at < scan->end && *scan->at == 'L') /* Python 2 wrote long integers so */
        scan->at++;
    return size;
}

static const char *scan_shape(struct scan *scan, struct plb_npy_dict *dict)
{
    bool comma = true;
    if (!take(scan, '('))
        return "a tuple as the value of 'shape'";
    dict->dimensions = 0;
    while (!take(scan, ')')) {
        if (!comma)
            return "',' or ')' in 'shape'";
        if (!at_digit(scan))
            return "a whole number or ')' in 'shape'";
        int64_t size = scan_size(scan);
        if (dict->dimensions < 2)
            dict->shape[dict->dimensions] = size;
        dict->dimensions++;
        comma = take(scan, ',');
    }
    /* for Python (5) is a number and no tuple */
    return dict->dimensions == 1 && !comma ? "',' after the only number in 'shape'" : NULL;
}

/* One key and its value. `seen` says which keys came before. */
static const char *scan_item(struct scan *scan, struct plb_npy_dict *dict, bool seen[KEYS])
{
    char name[16]; /* longer than any key: a name that was cut is none of them */
    int key = 0;
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
    switch (key) {
    case KEY_DESCR: return scan_descr(scan, dict);
    case KEY_FORTRAN_ORDER: return scan_flag(scan, &dict->fortran_order);
    default: return scan_shape(scan, dict);
    }
}

static const char *scan_dict(struct scan *scan, struct plb_npy_dict *dict)
{
    bool seen[KEYS] = {false};
    if (!take(scan, '{'))
        return "'{'";
    for (bool comma = true; !take(scan, '}'); comma = take(scan, ',')) {
        const char *wrong = comma ? scan_item(scan, dict, seen) : "',' or '}'";
        if (wrong != NULL)
            return wrong;
        if (strcmp(dict->descr, PLB_NPY_RECORDS) == 0)
            return NULL; /* plbrun reads no such type, whatever else is wrong */
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return "before it all of 'descr', 'fortran_order' and 'shape'";
    skip_blanks(scan);
    return scan->at == scan->end ? NULL : "nothing but spaces after '}'";
}

const char *plb_npy_scan_dict(const char **at, const char *end, struct plb_npy_dict *dict)
{
    struct scan scan = {*at, end};
    *dict = (struct plb_npy_dict){.dimensions = 0};
    const char *expected = scan_dict(&scan, dict);
    *at = scan.at;
    return expected;
}
