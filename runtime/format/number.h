/* Numbers in text, with the result of strtod. make bench-libraries compares the times: numbers of up to 19
 * digits are read in a fraction of strtod's. Text ends with a NUL. */
#ifndef PLB_FORMAT_NUMBER_H
#define PLB_FORMAT_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Space, tab, carriage return, vertical tab, form feed: what may stand between the words of a line. Inline,
 * as it is asked for every byte of a file. */
static inline bool plb_is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}

/* Whether a word can end here: at a blank, the end of the line or the end of the text. */
static inline bool plb_word_ends(const char *at)
{
    return plb_is_blank(*at) || *at == '\n' || *at == '\0';
}

/* A whole number with or without a sign, up to where the word ends. One that int64_t cannot hold becomes
 * INT64_MAX or -INT64_MAX. Returns the end of the number; NULL, and *value as it was, where the word is
 * something else. */
const char *plb_scan_whole(const char *from, int64_t *value);

/* A decimal number such as -1.5e3, or with `whole` one without point and exponent, up to where the word ends.
 * *value is the nearest double, and infinite where the number is too large. Returns the end of the number;
 * NULL, and *value as it was, where the word is something else, "nan" and "inf" among it. */
const char *plb_scan_decimal(const char *from, bool whole, double *value);

#endif
