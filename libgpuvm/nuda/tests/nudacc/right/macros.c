/* SPDX-License-Identifier: MIT */
/* The pragma in macros, and bodies made of macros. */
#include "show.h"

#define DO(i, n) _Pragma("nuda parallel for") for (int i = 0; i < (n); i++)
#define NUWORK(...) NUWORK_(nuda parallel for block(__VA_ARGS__))
#define NUWORK_(...) _Pragma(#__VA_ARGS__)
#define SQUARE(x) ((x) * (x))
#define LARGER(a, b) ((a) > (b) ? (a) : (b))

int main(void)
{
    int n = 400;
    double *a = numbers(n, 1), *b = numbers(n, 2);
    /* clang-format off */
    DO(i, n / 2)
        b[i] = SQUARE(a[i]) + LARGER(a[i], b[i]);
    NUWORK(8, 8)
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 20; j++)
            a[i * 20 + j] = SQUARE(b[j * 20 + i]);
    if (n) DO(k, n) { a[k]++; }
    /* clang-format on */
    show_numbers("a", a, n);
    show_numbers("b", b, n);
    return 0;
}
