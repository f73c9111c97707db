/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        a[i] = 0;
        i++; /* error at i++: the loop's counter is changed in its body */
    }
}
