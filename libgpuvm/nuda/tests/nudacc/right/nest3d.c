/* SPDX-License-Identifier: MIT */
/* Three loops, with strides and constants, and an array of three dimensions on the heap. */
#include "show.h"

enum { DEPTH = 6, ROWS = 10, COLUMNS = 14 };

int main(void)
{
    double(*a)[ROWS][COLUMNS] = (void *)numbers(DEPTH * ROWS * COLUMNS, 5);
    double(*b)[ROWS][COLUMNS] = (void *)numbers(DEPTH * ROWS * COLUMNS, 6);
#pragma nuda parallel for
    for (long k = 0; k < DEPTH; k += 2)
        for (size_t i = 0; i <= ROWS - 1; ++i)
            for (short j = COLUMNS - 1; j >= 0; j -= 3)
                b[k][i][j] = a[k][i][j] * (double)k + (double)i / (j + 1);
    show_numbers("b", &b[0][0][0], DEPTH * ROWS * COLUMNS);
    return 0;
}
