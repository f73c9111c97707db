/* SPDX-License-Identifier: MIT */
/*
 * The program of the libgpuvm paper's figure 2, in C: x' = A x + b, again and again. A is stored by
 * columns, as the paper's is.
 *
 *     matvec [n [iterations]]      2048 1000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void matvecmul(float *x1, const float *a, const float *x, const float *b, int n)
{
#pragma nuda parallel for block(128)
    for (int i = 0; i < n; i++) {
        float r = b[i];
        for (int j = 0; j < n; j++)
            r += a[(size_t)j * n + i] * x[j];
        x1[i] = r;
    }
}

/* Numbers in [-1, 1). */
static float next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

/* A = a reflection (I - 2 v v' / v'v), its rows moved by one. It is dense and keeps lengths, so
 * that the values neither grow nor settle. An iteration that saw old data shows in the result. */
static void fill_matrix(float *a, const float *v, int n)
{
    float length = 0;
    for (int i = 0; i < n; i++)
        length += v[i] * v[i];
    for (int i = 0; i < n; i++) {
        int row = (i + 1) % n;
        for (int j = 0; j < n; j++)
            a[(size_t)j * n + i] = (float)(row == j) - 2 * v[row] * v[j] / length;
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 2048, iterations = argc > 2 ? atoi(argv[2]) : 1000;
    float *x = malloc(n * sizeof(float)), *x1 = malloc(n * sizeof(float));
    float *a = malloc(n * sizeof(float) * n), *b = malloc(n * sizeof(float));
    uint32_t state = 1;
    if (!x || !x1 || !a || !b)
        return 1;
    for (int i = 0; i < n; i++)
        x1[i] = next_number(&state);
    fill_matrix(a, x1, n);
    for (int i = 0; i < n; i++) {
        x[i] = next_number(&state);
        b[i] = 0.01f * next_number(&state);
    }
    for (int k = 0; k < iterations; k++) {
        matvecmul(x1, a, x, b, n);
        float *other = x;
        x = x1;
        x1 = other;
    }
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (i % 7 + 1);
    printf("%d iterations of x' = A x + b, n = %d: x[0] = %a, sum %a\n", iterations, n,
           (double)x[0], sum);
    free(x);
    free(x1);
    free(a);
    free(b);
    return 0;
}
