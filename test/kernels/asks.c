/* A kernel whose author has mistaken an option: its name, its type, or that the user gives it. The option
 * `where` says in which function. */
#include "plb/kernel.h"

enum mistake {
    NONE,
    UNKNOWN,
    GIVEN,
    REAL_OF_INT,
    INT_OF_REAL,
    FLAG_OF_TEXT,
    TEXT_OF_INT,
    CHOICE_OF_ANY,
    SAVES_NOWHERE,
    WRITES_NOWHERE,
    READS_NO_NPY,
    READS_NO_MTX,
    DRAWS_NOWHERE,
    DRAWS_NO_COLOURS,
    READS_NO_CSV,
    READS_NO_TABLE,
    PRINTS_NOWHERE,
    READS_NO_PNG
};
enum place { SETUP, COST, NEXT };

static const struct plb_option options[] = {
    {"mistake", PLB_TEXT, "none", 0, 0,
     "none|unknown|given|real_of_int|int_of_real|flag_of_text|text_of_int|choice_of_any|"
     "saves_nowhere|writes_nowhere|reads_no_npy|reads_no_mtx|"
     "draws_nowhere|draws_no_colours|reads_no_csv|reads_no_table|prints_nowhere|reads_no_png",
     "which mistake"},
    {"where", PLB_TEXT, "setup", 0, 0, "setup|cost|next", "the function that makes it"},
    {"whole", PLB_INT, "7", 1, 9, NULL, "a whole number"},
    {"real", PLB_REAL, "0.5", 0, 1, NULL, "a number"},
    {"any", PLB_TEXT, NULL, 0, 0, NULL, "any text"},
    {0},
};

static void ask(const struct plb_app *app, enum place place)
{
    if (plb_app_choice(app, "where") != (int)place)
        return;
    switch ((enum mistake)plb_app_choice(app, "mistake")) {
    default: break;
    case UNKNOWN: plb_app_int(app, "hole"); break;
    case GIVEN: plb_app_given(app, "hole"); break;
    case REAL_OF_INT: plb_app_real(app, "whole"); break;
    case INT_OF_REAL: plb_app_int(app, "real"); break;
    case FLAG_OF_TEXT: plb_app_flag(app, "any"); break;
    case TEXT_OF_INT: plb_app_text(app, "whole"); break;
    case CHOICE_OF_ANY: plb_app_choice(app, "any"); break;
    }
}

static void print(const struct plb_app *app, FILE *out)
{
    fprintf(out, "%lld\n", (long long)plb_app_int(app, "whole"));
}

/* The user has named no file. */
static void use_no_file(struct plb_app *app)
{
    static double number;
    struct plb_array array = {&number, sizeof number, 1, 1, false};
    struct plb_csr matrix;
    struct plb_table table;
    struct plb_image image = {(const uint8_t *)&number, 1, 1, 0, NULL};
    const char *none = plb_app_text(app, "any");
    switch ((enum mistake)plb_app_choice(app, "mistake")) {
    case SAVES_NOWHERE: plb_app_save_npy(app, none, &array); break;
    case WRITES_NOWHERE: plb_write_npy(app, none, &array); break;
    case READS_NO_NPY: plb_read_npy(app, none, PLB_ROW_MAJOR, &array); break;
    case READS_NO_MTX: plb_read_mtx(app, none, &matrix); break;
    case DRAWS_NOWHERE: plb_app_save_png(app, none, &image); break;
    case DRAWS_NO_COLOURS: plb_app_save_png(app, "no.png", &image); break;
    case READS_NO_CSV: plb_read_csv(app, none, NULL, &array); break;
    case READS_NO_TABLE: plb_read_table(app, none, &table); break;
    case PRINTS_NOWHERE: plb_app_save_text(app, none, print); break;
    case READS_NO_PNG: plb_read_png(app, none, &image); break;
    default: break;
    }
}

static int setup(struct plb_app *app)
{
    ask(app, SETUP);
    use_no_file(app);
    plb_app_units(app, 10);
    return PLB_OK;
}

static double cost(const struct plb_app *app, int64_t first, int64_t count)
{
    ask(app, COST);
    return (double)(first + count) - (double)first;
}

static int next(struct plb_app *app, int64_t pass, bool *again)
{
    ask(app, NEXT);
    *again = pass < 0;
    return PLB_OK;
}

static int entry(const struct plb_task *task)
{
    return task->count > 0 ? 0 : 1;
}

const struct plb_kernel plb_kernel = {
    .name = "asks",
    PLB_KERNEL_HEAD,
    .unit = "things",
    .options = options,
    .setup = setup,
    .cost = cost,
    .next = next,
    .cpu = entry,
};
