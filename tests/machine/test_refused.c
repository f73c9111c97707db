/* SPDX-License-Identifier: MIT */
/* A machine whose protocol may not be built on it. This program's list of protocols, instead of the
 * simulator's, has one that locks up where requests and write-backs share a FIFO. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machine/machine.h"
#include "mem/protocol.h"
#include "invalidating.h"

extern const struct protocol protocol_si;
const struct protocol *const protocols[] = {&protocol_si, &protocol_invalidating, NULL};

PARAMETER_LIST(struct protocol, protocol, protocols)

static struct machine *create(const char *fifos, struct diagnosis *diagnosis)
{
    const char *overrides[] = {"gpu.protocol=invalidating", fifos};
    struct configuration *configuration = configuration_load("hd7970", overrides, 2, diagnosis);
    struct machine_options options = {.configuration = configuration};
    struct machine *machine;

    if (configuration == NULL)
        fail_msg("%s", diagnosis->message);
    machine = machine_create(&options, diagnosis);
    if (machine != NULL)
        machine_destroy(machine);
    configuration_destroy(configuration);
    return machine;
}

static void a_protocol_is_refused_with_its_circle(void **state)
{
    struct diagnosis diagnosis = {0};

    (void)state;
    assert_null(create("crossbar.down_fifos=1", &diagnosis));
    assert_non_null(strstr(diagnosis.message,
                           "invalidating: messages can wait in a circle: request or write-back "
                           "down between upper caches and L2"));
    assert_non_null(strstr(diagnosis.hint, "'invalidating' needs crossbar.down_fifos 2"));
}

static void where_it_cannot_lock_up_it_is_built(void **state)
{
    struct diagnosis diagnosis = {0};

    (void)state;
    if (create("crossbar.down_fifos=2", &diagnosis) == NULL)
        fail_msg("%s", diagnosis.message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"refused/a_protocol_is_refused_with_its_circle", a_protocol_is_refused_with_its_circle,
         NULL, NULL, NULL},
        {"refused/where_it_cannot_lock_up_it_is_built", where_it_cannot_lock_up_it_is_built, NULL,
         NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
