/* Labels are compared after sorting, so that a table of many rows takes no time in the square of them. */
#include "format/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int by_text(const void *a, const void *b)
{
    const struct plb_label *const *one = a, *const *other = b;
    int order = strcmp((*one)->text, (*other)->text);
    return order != 0 ? order : (*one > *other) - (*one < *other);
}

int64_t plb_labels_find_wrong(const struct plb_label *labels, int64_t n, int64_t *before)
{
    const struct plb_label **sorted = plb_alloc(plb_array_bytes(n, sizeof *sorted));
    int64_t wrong = -1;
    *before = -1;
    for (int64_t i = 0; i < n; i++)
        sorted[i] = &labels[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_text);
    for (int64_t i = 0; i < n; i++) {
        bool again = i > 0 && strcmp(sorted[i - 1]->text, sorted[i]->text) == 0;
        int64_t at = sorted[i] - labels;
        if ((sorted[i]->text[0] == '\0' || again) && (wrong < 0 || at < wrong)) {
            wrong = at;
            *before = sorted[i]->text[0] == '\0' ? -1 : sorted[i - 1] - labels;
        }
    }
    free(sorted);
    return wrong;
}

const char **plb_labels_copy(const struct plb_label *labels, int64_t n)
{
    size_t bytes = plb_array_bytes(n, sizeof(char *));
    for (int64_t i = 0; i < n; i++)
        bytes += labels[i].length + 1;
    const char **texts = plb_alloc(bytes);
    char *to = (char *)(texts + n);
    for (int64_t i = 0; i < n; i++) {
        texts[i] = memcpy(to, labels[i].text, labels[i].length);
        to += labels[i].length;
        *to++ = '\0';
    }
    return texts;
}
