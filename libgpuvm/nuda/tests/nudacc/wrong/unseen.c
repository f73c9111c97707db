/* SPDX-License-Identifier: MIT */
double elsewhere(double x);

void f(double *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i] = elsewhere(a[i]); /* error at elsewhere(a: 'elsewhere' is called, which is not in this file */
}
