/* SPDX-License-Identifier: MIT */
/* Names that are words of OpenCL C, and names that hide others. */
#include "show.h"

static double max(double a, double b)
{
    return a > b ? a : b;
}

static double dot(const double *global, const double *local, int length)
{
    double mix = 0;
    for (int step = 0; step < length; step++)
        mix += global[step] * local[step];
    return mix;
}

struct half {
    double global, x;
};

int main(void)
{
    int n = 64, kernel = 8;
    double *local = numbers(n * kernel, 1), *constant = numbers(n, 2), uchar = 0.5;
    struct half *image = calloc(n, sizeof(*image));
#pragma nuda parallel for
    for (int get_global_id = 0; get_global_id < n; get_global_id++) {
        double float4 = dot(local + get_global_id * kernel, local, kernel);
        {
            double float4 = uchar;
            constant[get_global_id] = max(float4, constant[get_global_id]);
        }
        image[get_global_id].global = float4;
        image[get_global_id].x = uchar * get_global_id;
    }
    show_numbers("constant", constant, n);
    show("image", image, n * sizeof(*image));
    return 0;
}
