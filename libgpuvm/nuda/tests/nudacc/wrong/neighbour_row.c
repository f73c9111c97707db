/* SPDX-License-Identifier: MIT */
void f(int n, int m, double a[n][m])
{
#pragma nuda parallel for block(8,8)
    for (int i = 1; i < n; i++)
        for (int j = 0; j < m; j++)
            a[i][j] = a[i - 1][j] / 2; /* error at a[i][j]: 'a' is written here, and iterations may read elements that others */
}
