/* SPDX-License-Identifier: MIT */
void f(double *a, int n, int m)
{
    int j;
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        a[i * m] = 0;
        for (j = 1; j < m; j++) /* error at j = 1: 'j' is declared outside of the loop */
            a[i * m + j] = j;
    }
}
