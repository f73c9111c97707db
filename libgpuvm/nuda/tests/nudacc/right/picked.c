/* SPDX-License-Identifier: MIT */
/* What looks like a conflict but is none: picked iterations, halves, strides, fields, private
 * parts. */
#include "show.h"

struct cell {
    double now, next;
};

int main(void)
{
    int n = 512, m = 8, half = n / 2, *p = integers(n, 1, m), *h = calloc(n * m, sizeof(int));
    double *a = numbers(n, 1), *b = numbers(2 * n, 2), *found = numbers(3, 3);
    struct cell *cells = calloc(n, sizeof(*cells));
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        cells[i].now = a[i];
        if (i == 3)
            found[0] = a[i];
        if (i != m)
            continue;
        found[1] = a[i];
    }
#pragma nuda parallel for independent
    for (int i = 0; i < n; i++)
        if (p[i] == 5 && i < n)
            found[2] = 1;
#pragma nuda parallel for independent
    for (int i = 1; i < n - 1; i++)
        if (i % 2)
            a[i] = 0.5 * (a[i - 1] + a[i + 1]);
#pragma nuda parallel for
    for (int i = 0; i < half; i++) {
        a[i] = a[i + half];
        b[2 * i] = b[2 * i + 1];
    }
#pragma nuda parallel for block(64) independent
    for (int i = 1; i < n; i++) {
        cells[i].next = cells[i - 1].now + 1;
        for (int k = 0; k < n; k++)
            h[i * m + p[k]]++;
    }
#pragma nuda parallel for
    for (int i = 0; i < 100; i++)
        b[i] = b[i + 100];
    show_numbers("a", a, n);
    show_numbers("b", b, 2 * n);
    show("h", h, n * m * sizeof(int));
    show("cells", cells, n * sizeof(*cells));
    show_numbers("found", found, 3);
    return 0;
}
