/* SPDX-License-Identifier: MIT */
void f(double **rows, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        rows[i][0] = 1; /* error at rows: 'rows' points to pointers, which a device cannot follow */
}
