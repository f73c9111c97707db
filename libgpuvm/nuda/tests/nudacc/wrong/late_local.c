/* SPDX-License-Identifier: MIT */
void f(int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        int last;
        for (int j = 0; j < 4; j++) {
            if (j)
                a[4 * i + j - last] = j; /* error at a[4: iterations may write the same element of 'a' here */
            last = j;
        }
    }
}
