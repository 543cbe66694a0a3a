/* A rank that is alone on its host, with a kernel that does nothing: for tests of its PUs. */
#ifndef LONE_RANK_H
#define LONE_RANK_H

#include <string.h>

#include "plb/kernel.h"

static int no_entry(const struct plb_task *task)
{
    (void)task;
    return 0;
}

static void gather_alone(void *unused, const void *data, size_t bytes, void *all)
{
    (void)unused;
    memcpy(all, data, bytes);
}

#endif
