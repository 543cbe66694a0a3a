/* A balancer's parameters at their defaults, for tests that have no conf file. */
#ifndef TEST_PARAMS_H
#define TEST_PARAMS_H

#include <string.h>

#include "config/ini.h"
#include "plb/balancer.h"

#define MAX_PARAMS 32

static inline void default_params(const struct plb_balancer *b, struct plb_param params[MAX_PARAMS])
{
    for (int i = 0; b->options != NULL && b->options[i].name != NULL && i < MAX_PARAMS; i++) {
        params[i] = (struct plb_param){b->options[i].name, 0.0, b->options[i].fallback};
        if (b->options[i].choices != NULL)
            plb_parse_choice(params[i].text, b->options[i].choices, &params[i].value);
        else if (!plb_parse_real(params[i].text, &params[i].value))
            plb_parse_flag(params[i].text, &params[i].value);
    }
}

/* Sets a parameter that has choices. */
static inline void set_choice(const struct plb_balancer *b, struct plb_param *params, const char *name,
                              const char *choice)
{
    for (int i = 0; b->options[i].name != NULL; i++)
        if (strcmp(b->options[i].name, name) == 0) {
            params[i].text = choice;
            plb_parse_choice(choice, b->options[i].choices, &params[i].value);
        }
}

#endif
