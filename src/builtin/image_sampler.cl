/* SPDX-License-Identifier: MIT */
/* A sampler that stands in the program: clang gives its word and takes what kernels hand around. */
__constant void *__translate_sampler_initializer(uint word)
{
    return (__constant void *)(ulong)word;
}
