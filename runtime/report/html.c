/* Four characters have a meaning. */
#include "report/html.h"

#include <stdbool.h>
#include <stdlib.h>

/* The bytes of the character that a text begins with; 0 where they are not UTF-8. */
static size_t character(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    size_t n = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : c[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < n; i++)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    bool twice = n > 2 && ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90)),
         beyond = n > 2 && ((c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f));
    return twice || beyond ? 0 : n;
}

void plb_html_text(const char *text, FILE *out)
{
    for (size_t n; *text != '\0'; text += n > 0 ? n : 1) {
        n = character(text);
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default:
            if (n == 0)
                fputc('?', out);
            else if ((unsigned char)*text < 32)
                fputc(' ', out);
            else
                fwrite(text, 1, n, out);
        }
    }
}

void plb_html_said(void (*say)(const struct plb_report *, FILE *), const struct plb_report *r, FILE *out)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (memory == NULL)
        return;
    say(r, memory);
    fclose(memory);
    plb_html_text(text, out);
    free(text);
}
