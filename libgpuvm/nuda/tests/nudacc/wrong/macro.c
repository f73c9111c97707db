/* SPDX-License-Identifier: MIT */
#define SET(x) ((x) = 1)

int f(double *a, int n)
{
    int last = 0;
#pragma nuda parallel for
    for (int i = 0;   i < n;   i++) {   SET(a[i]);   SET(last);   a[i]++; } /* error at SET(last): 'last' is declared outside */
    return last;
}
