/* SPDX-License-Identifier: MIT */
void f(int *a, int *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        __atomic_fetch_add(&a[0], 1, __ATOMIC_RELAXED), b[i] = a[0]; /* error at __atomic: 'a' is written here, and iterations may read */
}
