/* SPDX-License-Identifier: MIT */
static void add(int *to, int x)
{
    *to += x;
}

int f(const int *a, int n)
{
    int total = 0;
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        add(&total, a[i]); /* error at &total: the address of 'total', a variable outside of the loop, is taken */
    return total;
}
