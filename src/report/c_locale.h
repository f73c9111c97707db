/* SPDX-License-Identifier: MIT */
/* The host program may have set a locale in which numbers are written with a comma. Reports are
 * written in the "C" locale, for this thread only and for as long as one is written. */
#ifndef REPORT_C_LOCALE_H
#define REPORT_C_LOCALE_H

#include <locale.h>

struct report_locale {
    locale_t plain, before;
};

static inline void report_locale_enter(struct report_locale *state)
{
    state->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    state->before = state->plain != (locale_t)0 ? uselocale(state->plain) : (locale_t)0;
}

static inline void report_locale_leave(struct report_locale *state)
{
    if (state->plain == (locale_t)0)
        return;
    uselocale(state->before);
    freelocale(state->plain);
}

#endif
