/* SPDX-License-Identifier: MIT */
/*
 * No transactional memory: a begin and a commit that always succeed, with nothing isolated in
 * between. It is what the hints mean on hardware without transactions, and the smallest system
 * there is.
 */
#include "base/text.h"
#include "tm/systems.h"

#include <stdlib.h>

static struct tm_unit *none_create(const struct tm_system *system, const struct tm_options *options)
{
    return allocate(1, sizeof(struct tm_unit));
}

static void none_destroy(struct tm_unit *unit)
{
    free(unit);
}

const struct tm_system tm_none = {
    .name = "none",
    .help = "every transaction commits at its first attempt; nothing is isolated",
    .create = none_create,
    .destroy = none_destroy,
};
