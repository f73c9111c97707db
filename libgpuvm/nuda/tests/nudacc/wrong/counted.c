/* SPDX-License-Identifier: MIT */
void f(int *g, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        g[i % 100] += 1; /* error at g[i % 100]: 'g' is written here, and iterations may read */
}
