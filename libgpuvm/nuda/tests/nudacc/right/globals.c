/* SPDX-License-Identifier: MIT */
/* Arrays and scalars at file scope, used directly and in functions; a constant table. */
#include "show.h"

static double table[64];
static double grid[20][30];
static const double weight[3] = {0.25, 0.5, 0.125};
static int shift = 2;
double scale = 1.5;

static double smooth(int i)
{
    double s = 0;
    for (int k = 0; k < 3; k++)
        s += weight[k] * table[(i + k + shift) % 64];
    return s * scale;
}

int main(void)
{
    double *out = numbers(64, 9);
    for (int i = 0; i < 64; i++)
        table[i] = i * i / 7.0;
#pragma nuda parallel for
    for (int i = 0; i < 64; i++)
        out[i] = smooth(i);
#pragma nuda parallel for
    for (int i = 0; i < 20; i++)
        for (int j = 0; j < 30; j++)
            grid[i][j] = table[i + j] / (out[i] + j);
    shift = 5;
#pragma nuda parallel for
    for (int i = 0; i < 64; i++)
        table[i] = grid[i % 20][i % 30] + shift;
    show_numbers("out", out, 64);
    show_numbers("grid", &grid[0][0], 600);
    show_numbers("table", table, 64);
    return 0;
}
