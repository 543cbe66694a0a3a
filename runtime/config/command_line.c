/* Quotes where they are needed, and nowhere else. */
#include "config/command_line.h"

#include <stdio.h>
#include <string.h>

/* Characters that a shell takes as they are. */
#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%"

/* One word, in quotes where a shell would take it for another or for several. */
static void put_word(FILE *out, const char *word)
{
    if (word[0] != '\0' && word[strspn(word, PLAIN)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

char *plb_command_line(int argc, char *const *argv)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out != NULL)
        for (int i = 0; i < argc; i++) {
            if (i > 0)
                fputc(' ', out);
            put_word(out, argv[i]);
        }
    if (out != NULL)
        fclose(out);
    return text;
}
