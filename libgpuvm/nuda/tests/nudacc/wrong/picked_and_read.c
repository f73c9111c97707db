/* SPDX-License-Identifier: MIT */
void f(int *a, int *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        if (i == 3)
            a[0] = 1; /* error at a[0]: 'a' is written here, and iterations may read elements that others write */
        b[i] = a[0];
    }
}
