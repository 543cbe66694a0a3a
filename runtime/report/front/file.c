/* One row per format. */
#include "report/front/file.h"

#include <string.h>

#include "base/file.h"
#include "report/front/chart.h"
#include "report/front/json.h"

static const struct format {
    const char *ending;
    void (*print)(const struct plb_front_page *page, FILE *out);
} formats[] = {{".json", plb_front_print_json}, {".svg", plb_front_print_chart}};

static const struct format *format_of(const char *file)
{
    const char *dot = strrchr(file, '.');
    if (dot != NULL)
        for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
            if (strcmp(dot, formats[i].ending) == 0)
                return &formats[i];
    return NULL;
}

bool plb_front_has_format(const char *file)
{
    return format_of(file) != NULL;
}

int plb_front_write(const struct plb_front_page *page, const char *file, struct plb_error *err)
{
    const struct format *format = format_of(file);
    struct plb_file f;
    if (format == NULL)
        return plb_fail(err, PLB_EFAILED, "%s: no format of a front has this ending", file);
    if (plb_file_create(&f, file, err) != PLB_OK)
        return err->status;
    format->print(page, f.stream);
    return plb_file_commit(&f, err);
}
