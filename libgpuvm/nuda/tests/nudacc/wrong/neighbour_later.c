/* SPDX-License-Identifier: MIT */
void f(float *a, const float *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n - 2; i++) {
        float next = a[i + 2] * b[i];
        if (i > 0)
            a[i] = next; /* error at a[i]: 'a' is written here, and iterations may read elements that others write */
    }
}
