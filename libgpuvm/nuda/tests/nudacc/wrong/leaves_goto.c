/* SPDX-License-Identifier: MIT */
void f(const double *a, double *b, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        if (a[i] < 0)
            goto out; /* error at goto: goto cannot go to a device */
        b[i] = 1;
    }
out:;
}
