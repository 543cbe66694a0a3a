/* Five characters have a meaning. */
#include "report/html.h"

void plb_html_text(const char *text, FILE *out)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 32 ? ' ' : *text, out);
        }
}
