/* A decimal number; or, where they are taken, what strtod calls nan and inf. */
#include "format/mtx/value.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

#include "format/number.h"

int plb_mtx_refuse_entry(const struct plb_text *text, const char *start, const struct plb_mtx_values *values)
{
    static const char *const forms[2][3] = {
        {[PLB_MTX_REAL] = "'row column value'",
         [PLB_MTX_INTEGER] = "'row column value', all whole numbers",
         [PLB_MTX_PATTERN] = "'row column'"},
        {[PLB_MTX_REAL] = "one value", [PLB_MTX_INTEGER] = "one value, a whole number"},
    };
    return plb_text_refuse(text,
                           "malformed entry '%s'; expected %s; correct the line, or the kind of "
                           "values in line 1",
                           plb_text_excerpt(text, start).text,
                           forms[values->header.dense][values->header.field]);
}

static bool names_no_number(const char *at)
{
    at += *at == '-' || *at == '+';
    return strncasecmp(at, "nan", 3) == 0 || strncasecmp(at, "inf", 3) == 0;
}

/* The end of the number that comes next, or NULL. */
static const char *scan(const struct plb_text *text, const struct plb_mtx_values *values, double *value)
{
    bool whole = values->header.field == PLB_MTX_INTEGER;
    const char *end = plb_scan_decimal(text->at, whole, value);
    if (end != NULL || whole || !values->nonfinite || !names_no_number(text->at))
        return end;
    char *stop;
    double found = strtod(text->at, &stop);
    if (!plb_word_ends(stop))
        return NULL;
    *value = found;
    return stop;
}

/* Skips the rest of a line after the indices in a pattern file: nothing, or numbers that say nothing. */
static bool skip_surplus(struct plb_text *text, struct plb_mtx_values *values)
{
    while (!plb_text_line_ends(text)) {
        double unused;
        const char *end = plb_scan_decimal(text->at, false, &unused);
        if (end == NULL)
            return false;
        text->at = end;
        values->surplus = true;
    }
    return true;
}

int plb_mtx_read_value(struct plb_text *text, const char *start, struct plb_mtx_values *values, double *value)
{
    *value = 1.0;
    if (values->header.field == PLB_MTX_PATTERN)
        return skip_surplus(text, values) ? PLB_OK : plb_mtx_refuse_entry(text, start, values);
    plb_text_skip_blanks(text);
    const char *end = scan(text, values, value);
    text->at = end != NULL ? end : text->at;
    if ((end == NULL && names_no_number(text->at)) || (!isfinite(*value) && !values->nonfinite))
        return plb_text_refuse(text,
                               "the value in '%s' is not finite; expected a number below 1.8e308 in "
                               "size; correct or remove the entry",
                               plb_text_excerpt(text, start).text);
    return end != NULL && plb_text_line_ends(text) ? PLB_OK : plb_mtx_refuse_entry(text, start, values);
}
