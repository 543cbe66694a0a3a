/* A balancer's parameters at their defaults, for tests that have no conf file. */
#ifndef TEST_PARAMS_H
#define TEST_PARAMS_H

#include "base/ini.h"
#include "plb/balancer.h"

#define MAX_PARAMS 32

static inline void default_params(const struct plb_balancer *b, struct plb_param params[MAX_PARAMS])
{
    for (int i = 0; b->options != NULL && b->options[i].name != NULL && i < MAX_PARAMS; i++) {
        params[i] = (struct plb_param){b->options[i].name, 0.0, b->options[i].fallback};
        if (!plb_parse_real(params[i].text, &params[i].value))
            plb_parse_flag(params[i].text, &params[i].value);
    }
}

#endif
