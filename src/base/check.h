/* SPDX-License-Identifier: MIT */
/*
 * Our own mistakes. `check` is always on, in every build: a simulator that goes on after a broken
 * invariant prints wrong numbers. The user's mistakes are not checks but values
 * (base/diagnosis.h).
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#define check(condition, ...)                                                                      \
    do {                                                                                           \
        if (__builtin_expect(!(condition), 0))                                                     \
            check_failed(__FILE__, __LINE__, #condition, __VA_ARGS__);                             \
    } while (0)

/* Prints the place, the condition and the formatted message, and aborts. */
_Noreturn void check_failed(const char *file, int line, const char *condition, const char *format,
                            ...) __attribute__((format(printf, 4, 5), cold));

/* Sets the function that check_failed calls with its message before it prints anything; NULL for
 * none. It may leave by longjmp: for those who look for states in which a check fails and go on
 * elsewhere. If it returns, the run ends as without it. One a thread. */
void check_set_catch(void (*caught)(void *context, const char *message), void *context);

#endif
