/* SPDX-License-Identifier: MIT */
int f(const double *a, double *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            return i; /* error at return: return leaves the loop */
        b[i] = 1;
    }
    return n;
}
