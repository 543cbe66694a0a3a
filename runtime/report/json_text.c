/* Jansson makes no string of a text that is not UTF-8. */
#include "report/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *plb_json_text(const char *text)
{
    json_t *as_is = json_string(text);
    char *copy = as_is == NULL ? strdup(text) : NULL;
    for (char *c = copy; c != NULL && *c != '\0'; c++)
        *c = (unsigned char)*c > 127 ? '?' : *c;
    json_t *value = as_is == NULL ? json_string(copy) : as_is;
    free(copy);
    return value;
}
