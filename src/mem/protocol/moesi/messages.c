/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/messages.h"

#include <string.h>

#include "mem/protocol/moesi/statistics.h"

#define UPPER(...) STATISTIC_ROW(struct moesi_upper_statistics, __VA_ARGS__)
const struct statistic moesi_upper_statistics[] = {MOESI_UPPER_STATISTICS(UPPER)};

#define DIRECTORY(...) STATISTIC_ROW(struct moesi_directory_statistics, __VA_ARGS__)
const struct statistic moesi_directory_statistics[] = {MOESI_DIRECTORY_STATISTICS(DIRECTORY)};

void moesi_tell(struct step *step, uint8_t kind, uint64_t mask, const struct line *line)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    memset(message, 0, sizeof *message);
    message->kind = kind;
    message->addr = step->addr;
    message->mask = mask;
    message->source = controller_node(step->controller);
    if (line != NULL)
        memcpy(message->data, line->data, LINE_BYTES);
}

void moesi_ask(struct step *step, uint8_t kind)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = kind;
    message->source = controller_node(step->controller);
    message->rmw = message->word_bytes = 0;
    message->returns = false;
    memset(message->data, 0, sizeof message->data); /* operands and stores stay here */
}
