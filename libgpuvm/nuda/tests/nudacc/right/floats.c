/* SPDX-License-Identifier: MIT */
/* Floats: division and square root are exact, and nothing is contracted; float and double mix. */
#include "show.h"
#include <math.h>

int main(void)
{
    int n = 4096;
    double *d = numbers(n, 1);
    float *a = malloc(n * sizeof(float)), *b = malloc(n * sizeof(float)), c = 1.1f;
    for (int i = 0; i < n; i++)
        a[i] = (float)d[i], b[i] = (float)(d[n - 1 - i] * 3);
#pragma nuda parallel for block(256)
    for (int i = 0; i < n; i++) {
        float q = a[i] / b[i], r = sqrtf(a[i] * b[i] + c);
        double wide = a[i] * 0.1 + sqrt(b[i]);
        a[i] = q * q + r * r - c;
        b[i] = fmaf(q, r, fabsf(-c)) + floorf(r) + (float)fmin(wide, 2) + copysignf(1, -r);
        d[i] = wide / 3 + (isnan(wide) ? 1 : 0) + (r > INFINITY) + 1e-3f + 0x1.8p-4;
    }
    show("a", a, n * sizeof(float));
    show("b", b, n * sizeof(float));
    show_numbers("d", d, n);
    return 0;
}
