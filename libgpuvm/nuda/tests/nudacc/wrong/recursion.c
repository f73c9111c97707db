/* SPDX-License-Identifier: MIT */
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); /* error at fibonacci(n - 1): 'fibonacci' calls itself */
}

void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i] = fibonacci(i % 20);
}
