/* A conf file with an option of each type. */
#include <stdbool.h>

#include "config/settings.h"
#include "config/unknown.h"
#include "fuzz.h"

static const struct plb_option options[] = {
    {"rows", PLB_INT, "7", 1, 100, NULL, "an int"},
    {"zeros", PLB_REAL, "0.5", 0, 1, NULL, "a real"},
    {"cost", PLB_FLAG, "yes", 0, 0, NULL, "a flag"},
    {"kind", PLB_TEXT, "round", 0, 0, "round|oval|flat", "a choice"},
    {"word", PLB_TEXT, NULL, 0, 0, NULL, "a text"},
    {"a", PLB_INPUT_FILE, NULL, 0, 0, NULL, "a file"},
    {0},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct plb_settings s;
    struct plb_error err = {.status = PLB_OK};
    if (plb_settings_init(&s, fuzz_file(data, size), NULL, 0, &err) == PLB_OK) {
        plb_settings_add(&s, "app", options);
        plb_settings_add(&s, "spmm", options);
        if (plb_settings_load(&s, "app", &err) == PLB_OK && plb_settings_load(&s, "spmm", &err) == PLB_OK)
            plb_settings_check_unknown(&s, &err);
        plb_settings_fini(&s);
    }
    fuzz_check(err.status == PLB_OK || err.text[0] != '\0', "a conf file is refused without a sentence");
    return 0;
}
