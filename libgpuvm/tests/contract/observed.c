/* SPDX-License-Identifier: MIT */
/* The README's program on the fake device: run under valgrind and gdb by observed.py. */
#include "fake.h"
#include "gpuvm.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT 300000u

static void add(void *argument)
{
    int *words = argument;
    for (unsigned i = 0; i < COUNT; i++)
        words[i] += 2;
}

__attribute__((noinline)) static void look(int *a)
{
    __asm__ volatile("" : : "r"(a) : "memory");
}

int main(void)
{
    struct fake *fake = fake_create(&(struct fake_options){0});
    void *device = fake_device(fake), *buffer = fake_allocate(fake, COUNT * sizeof(int));
    const char *rung = "";
    int *a = calloc(COUNT, sizeof(int));
    int error = gpuvm_init(1, &device, GPUVM_OPS);
    error |= gpuvm_link(a, COUNT * sizeof(int), 0, buffer, GPUVM_ON_HOST);
    for (int k = 0; k < 10 && !error; k++, a[k]++) {
        error |= gpuvm_kernel_begin(a, 0, GPUVM_READ_WRITE);
        fake_launch(fake, add, fake_data(buffer), 0);
        error |= gpuvm_kernel_end(a, 0);
    }
    look(a);
    error |= gpuvm_stat(GPUVM_STAT_RUNG, &rung);
    printf("%s %d %d\n", rung, a[3], a[100000]);
    error |= gpuvm_finish();
    free(a);
    fake_release(fake, buffer);
    return error || !fake_destroy(fake);
}
