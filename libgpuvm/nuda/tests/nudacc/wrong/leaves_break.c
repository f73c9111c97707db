/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            break; /* error at break: break leaves the loop */
        a[i] = 1;
    }
}
