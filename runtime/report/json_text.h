/* Text from outside in JSON, which has UTF-8 alone. */
#ifndef PLB_REPORT_JSON_TEXT_H
#define PLB_REPORT_JSON_TEXT_H

#include <jansson.h>

/* A new string. Of a text that is not UTF-8, as names of files and texts that were cut may be, every byte
 * that is not ASCII becomes a '?'. */
json_t *plb_json_text(const char *text);

#endif
