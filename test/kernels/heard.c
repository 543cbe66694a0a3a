/* heat, which hears of results as soon as they count. */
#define HEARS
#include "heat.c"
