/* SPDX-License-Identifier: MIT */
/* Built without libgc's headers: there is no collector. */
#include "collect.h"

bool collect_find(void *pointer, struct memory *memory)
{
    (void)pointer, (void)memory;
    return false;
}

void collect_start(void) {}

void collect_guard(void (*function)(void *argument), void *argument)
{
    function(argument);
}

bool collect_watch(const struct memory *memory)
{
    (void)memory;
    return true;
}

bool collect_now(void)
{
    return false;
}

unsigned long long collect_released(void)
{
    return 0;
}
