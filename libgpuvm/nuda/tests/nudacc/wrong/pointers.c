/* SPDX-License-Identifier: MIT */
struct list {
    int value;
    struct list *next;
};

void f(struct list *cells, int *a, int n)
{
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i] = cells[i].value; /* error at cells: 'cells' has pointers in its struct, which a device cannot follow */
}
