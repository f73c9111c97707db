/* SPDX-License-Identifier: MIT */
/*
 * A sparse matrix, stored by compressed rows, times a vector, again and again: which elements an
 * iteration reads is known only when it runs. Each time the vector is scaled by the host.
 *
 *     spmv [rows [rounds]]      20000 10
 */
#include <stdio.h>
#include <stdlib.h>

struct matrix {
    int rows;
    int *first, *column; /* row i has the elements first[i] to first[i + 1] */
    double *value;
};

static void multiply(double *y, const int *first, const int *column, const double *value,
                     const double *x, int rows)
{
#pragma nuda parallel for
    for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int k = first[i]; k < first[i + 1]; k++)
            sum += value[k] * x[column[k]];
        y[i] = sum;
    }
}

static int elements_of(int row)
{
    return row % 100 == 0 ? 200 : 1 + row % 9;
}

static int make(struct matrix *matrix, int rows)
{
    int elements = 0, at = 0;
    for (int i = 0; i < rows; i++)
        elements += elements_of(i);
    *matrix = (struct matrix){rows, malloc((rows + 1) * sizeof(int)),
                              malloc(elements * sizeof(int)), malloc(elements * sizeof(double))};
    if (!matrix->first || !matrix->column || !matrix->value)
        return 0;
    for (int i = 0; i < rows; i++) {
        matrix->first[i] = at;
        for (int k = 0; k < elements_of(i); k++, at++) {
            matrix->column[at] = (int)((i * 31L + k * 7919L) % rows);
            matrix->value[at] = 0.3 + 0.01 * (at % 13);
        }
    }
    matrix->first[rows] = at;
    return 1;
}

int main(int argc, char **argv)
{
    int rows = argc > 1 ? atoi(argv[1]) : 20000, rounds = argc > 2 ? atoi(argv[2]) : 10;
    struct matrix matrix;
    double *x = malloc(rows * sizeof(double)), *y = malloc(rows * sizeof(double)), sum = 0;
    if (!x || !y || !make(&matrix, rows))
        return 1;
    for (int i = 0; i < rows; i++)
        x[i] = 1 + i % 5;
    for (int k = 0; k < rounds; k++) {
        multiply(y, matrix.first, matrix.column, matrix.value, x, rows);
        double scale = 1 / y[rows / 2];
        for (int i = 0; i < rows; i++)
            x[i] = y[i] * scale;
    }
    for (int i = 0; i < rows; i++)
        sum += x[i] * (i % 11);
    printf("%d rows, %d rounds: x[1] = %a, sum %a\n", rows, rounds, x[1], sum);
    free(x);
    free(y);
    free(matrix.first);
    free(matrix.column);
    free(matrix.value);
    return 0;
}
