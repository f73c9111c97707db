/* SPDX-License-Identifier: MIT */
/* Control: while, do, switch, nested breaks and continues, continue of the parallel loop, the
 * comma, ?: . */
#include "show.h"

static int collatz(unsigned n)
{
    int steps = 0;
    while (1) {
        if (n == 1)
            return steps;
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
}

int main(void)
{
    int n = 900, *a = integers(n, 1, 1000), *b = integers(n, 2, 5), *c = calloc(n, sizeof(int));
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        int s = 0, k;
        if (a[i] % 10 == 3)
            continue;
        for (k = 0; k < 20; k++) {
            if (k % 3 == b[i])
                continue;
            if (k > a[i] % 20)
                break;
            s += k;
        }
        switch (b[i]) {
        case 0:
            s = -s;
        case 1:
            s += 2;
            break;
        case 2: {
            int t = s;
            do
                t /= 2, s++;
            while (t > 0);
            break;
        }
        default:
            s *= 3;
        }
        for (int x = 0, y = 10; x < y; x += 2, y--)
            s ^= x * y;
        if (s > 0)
            if (s & 1)
                s++;
            else
                s--;
        c[i] = s ? s : k, c[i] += collatz((unsigned)i + 1);
    }
    show("c", c, n * sizeof(int));
    return 0;
}
