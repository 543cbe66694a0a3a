/* A text file in memory, read line by line. It always knows the number of its line, for messages. */
#ifndef PLB_FORMAT_TEXT_H
#define PLB_FORMAT_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "format/number.h"

struct plb_text {
    const char *path;     /* borrowed */
    char comment;         /* a line that begins with it says nothing */
    char *start;          /* the whole file */
    const char *at, *end; /* `at` is what comes next, in line number `line`; *end is NUL */
    int64_t line;
    struct plb_error *err; /* borrowed */
};

/* A line's start, fit for a message: printable, and short. */
struct plb_excerpt {
    char text[64];
};

/* Reads the file that text->path names. `expected` ends the sentence about what is no file (see
 * format/input_file.h). PLB_OK or PLB_EINPUT. A file that shrinks meanwhile is as long as what could be
 * read. */
int plb_text_load(struct plb_text *text, const char *expected);
void plb_text_free(struct plb_text *text);

static inline void plb_text_skip_blanks(struct plb_text *text)
{
    while (plb_is_blank(*text->at))
        text->at++;
}

/* Whether nothing but blanks is left of the line. Skips them. */
bool plb_text_line_ends(struct plb_text *text);

/* Goes to the next line that is neither empty nor a comment: from the end of a line, or from a line's start,
 * where it may stay. False at the end of the file. */
bool plb_text_next_line(struct plb_text *text);

/* Refuses the file with a sentence about the present line: "PATH:LINE: " and what follows. PLB_EINPUT. */
__attribute__((format(printf, 2, 3))) int plb_text_refuse(const struct plb_text *text, const char *format,
                                                          ...);

/* The part of the line from `from` on. */
struct plb_excerpt plb_text_excerpt(const struct plb_text *text, const char *from);

#endif
