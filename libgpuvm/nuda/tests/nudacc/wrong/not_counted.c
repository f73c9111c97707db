/* SPDX-License-Identifier: MIT */
void f(double *a, int n)
{
    int i = 0;
#pragma nuda parallel for
    while (i < n) /* error at while: a for loop must follow the pragma */
        a[i++] = 0;
}
