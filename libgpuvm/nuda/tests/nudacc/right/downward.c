/* SPDX-License-Identifier: MIT */
/* Loops that count down, in each form; counters that are looked at afterwards. */
#include "show.h"

int main(void)
{
    int n = 777, i;
    double *a = numbers(n, 1), *b = numbers(n, 2);
#pragma nuda parallel for
    for (i = n - 1; i >= 3; i--)
        b[i] = a[n - 1 - i] - i;
    printf("%d\n", i);
#pragma nuda parallel for block(64)
    for (size_t k = n; k-- > 0;)
        b[k] += a[k] * 0.5;
    unsigned u;
#pragma nuda parallel for
    for (u = 700u; u > 7u; u -= 7)
        b[u] = -b[u];
    printf("%u\n", u);
#pragma nuda parallel for
    for (i = n; i != 0; --i)
        a[i - 1] = b[i - 1] + i;
    printf("%d\n", i);
    int step = 5;
#pragma nuda parallel for
    for (i = 10; n > i; i = i + step)
        a[i] *= 2;
    printf("%d\n", i);
    show_numbers("a", a, n);
    show_numbers("b", b, n);
    return 0;
}
