/* SPDX-License-Identifier: MIT */
/*
 * Our own mistakes. `check` is always on, in every build: a simulator that goes on after a broken
 * invariant prints numbers that somebody publishes. The user's mistakes are not checks but values
 * (base/diagnosis.h).
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#define check(condition, ...)                                                                      \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);                             \
    } while (0)

/* Prints the place, the condition and the formatted message, calls the page hook (if one is set:
 * who waits for whom, and the command that replays the run) and aborts. */
_Noreturn void check_failed(const char *file, int line, const char *condition, const char *format,
                            ...) __attribute__((format(printf, 4, 5), cold));

/* Sets the function that check_failed calls before it aborts; NULL for none. The hook is per
 * thread, so that two machines on two threads print their own pages. */
void check_set_page(void (*page)(void *context), void *context);

/* Sets the function that check_failed calls with its message before it prints anything; NULL for
 * none. It may leave by longjmp: for those who look for states in which a check fails and go on
 * elsewhere. If it returns, the run ends as without it. One a thread. */
void check_set_catch(void (*caught)(void *context, const char *message), void *context);

#endif
