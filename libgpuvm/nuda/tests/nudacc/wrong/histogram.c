/* SPDX-License-Identifier: MIT */
void f(int *h, const unsigned char *data, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++) {
        int b = data[i];
        h[b]++; /* error at h[b]: 'h' is updated at an index from data, where iterations may meet: use __atomic_fetch_add */
    }
}
