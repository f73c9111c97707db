/* SPDX-License-Identifier: MIT */
/*
 * Heat in a plate: each step, a point becomes the mean of its neighbours and itself. The plate is a
 * global array, its edge is kept by the host, which warms one point after every tenth step.
 *
 *     stencil [steps]      100
 */
#include <stdio.h>
#include <stdlib.h>

#define ROWS 300
#define COLUMNS 400

static double plate[ROWS][COLUMNS], next_plate[ROWS][COLUMNS];

static void step(double to[ROWS][COLUMNS], double from[ROWS][COLUMNS])
{
#pragma nuda parallel for block(32, 4)
    for (int i = 1; i < ROWS - 1; i++)
        for (int j = 1; j < COLUMNS - 1; j++)
            to[i][j] = (from[i][j] * 4 + from[i - 1][j] + from[i + 1][j] + from[i][j - 1] +
                        from[i][j + 1]) /
                       8;
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            plate[i][j] = next_plate[i][j] = i == 0 ? 100 : j == 0 ? 50 : 0.1 * ((i * 31 + j) % 17);
    for (int k = 0; k < steps; k += 2) {
        step(next_plate, plate);
        step(plate, next_plate);
        if (k % 10 == 0)
            plate[ROWS / 2][COLUMNS / 2] += 1000;
    }
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            sum += plate[i][j] * (i % 3 + j % 5);
    printf("%d steps: the middle has %a, sum %a\n", steps, plate[ROWS / 2][COLUMNS / 2], sum);
    return 0;
}
