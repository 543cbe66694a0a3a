/* Cost: as much memory as the file has bytes. Weak at: files larger than memory. */
#include "format/text.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "format/input_file.h"

int plb_text_load(struct plb_text *text, const char *expected)
{
    struct plb_input_file file;
    size_t used = 0;
    int status = plb_input_open(&file, text->path, expected, text->err);
    if (status == PLB_OK) {
        text->start = plb_grow(NULL, (size_t)file.bytes + 1);
        status = plb_input_read(&file, text->start, (size_t)file.bytes, 0, &used, text->err);
        text->start[used] = '\0';
        text->at = text->start;
        text->end = text->start + used;
        text->line = 1;
    }
    plb_input_close(&file);
    return status;
}

void plb_text_free(struct plb_text *text)
{
    free(text->start);
    text->start = NULL;
}

bool plb_text_line_ends(struct plb_text *text)
{
    plb_text_skip_blanks(text);
    return *text->at == '\n' || text->at == text->end;
}

bool plb_text_next_line(struct plb_text *text)
{
    while (text->at < text->end) {
        plb_text_skip_blanks(text);
        if (*text->at == text->comment) {
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

int plb_text_refuse(const struct plb_text *text, const char *format, ...)
{
    char sentence[sizeof text->err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    return plb_fail(text->err, PLB_EINPUT, "%s:%" PRId64 ": %s", text->path, text->line, sentence);
}

struct plb_excerpt plb_text_excerpt(const struct plb_text *text, const char *from)
{
    struct plb_excerpt excerpt;
    size_t length = 0, room = sizeof excerpt.text - sizeof "...";
    for (; from + length < text->end && from[length] != '\n' && length < room; length++)
        excerpt.text[length] = from[length] >= ' ' && from[length] <= '~' ? from[length] : '?';
    bool cut = from + length < text->end && from[length] != '\n';
    while (length > 0 && (from[length - 1] == '\r' || from[length - 1] == ' '))
        length--;
    strcpy(excerpt.text + length, cut ? "..." : "");
    return excerpt;
}
