/* SPDX-License-Identifier: MIT */
void f(int *a, const int *x, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        switch (x[i]) {
        case 0:
            if (i != 3)
                break;
        default:
            a[0] = i; /* error at a[0]: iterations may write the same element of 'a' here */
        }
}
