/* SPDX-License-Identifier: MIT */
/* wavetank explain protocol NAME: the tables that the simulator runs. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "mem/protocol.h"

static int unknown_protocol(const char *name)
{
    const char *known[64];
    struct diagnosis diagnosis;
    const char *nearest;
    unsigned count = 0;

    while (protocols[count] != NULL && count < sizeof known / sizeof known[0]) {
        known[count] = protocols[count]->name;
        count++;
    }
    nearest = nearest_word(name, known, count);
    diagnose(&diagnosis, "there is no protocol '%s'", name);
    if (name[0] == '-')
        diagnose_hint(&diagnosis, "options stand before names");
    else if (nearest != NULL)
        diagnose_hint(&diagnosis, "did you mean '%s'?", nearest);
    else
        diagnose_hint(&diagnosis, "`wavetank list protocols` prints all");
    return mistake_print(&diagnosis);
}

int explain_protocols(int count, char **names, bool as_drawing)
{
    struct diagnosis diagnosis;

    if (count == 0) {
        diagnose(&diagnosis, "explain protocol needs a name");
        diagnose_hint(&diagnosis, "`wavetank list protocols` prints all");
        return mistake_print(&diagnosis);
    }
    for (int i = 0; i < count; i++) {
        const struct protocol *protocol = protocol_find(names[i]);
        struct text text = {0};

        if (protocol == NULL)
            return unknown_protocol(names[i]);
        if (as_drawing)
            protocol_draw(protocol, &text);
        else
            protocol_describe(protocol, &text);
        printf("%s%s", i > 0 ? "\n" : "", text_chars(&text));
        text_finish(&text);
    }
    return 0;
}
