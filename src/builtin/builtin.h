/* SPDX-License-Identifier: MIT */
/* What the files of the built-in library share: how its functions are declared, and lists of types
 * to define them for. */
#ifndef BUILTIN_BUILTIN_H
#define BUILTIN_BUILTIN_H

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define OVERLOAD __attribute__((overloadable))
/* A body that must vanish into its caller, so that what is constant there is constant here. */
#define INLINE OVERLOAD __attribute__((always_inline))

#define FOR_INTEGER_TYPES(DO)                                                                      \
    DO(char) DO(uchar) DO(short) DO(ushort) DO(int) DO(uint) DO(long) DO(ulong)
#define FOR_TYPES(DO) FOR_INTEGER_TYPES(DO) DO(half) DO(float) DO(double)

#define FOR_WIDTHS_OF(DO, type)                                                                    \
    DO(type) DO(type##2) DO(type##3) DO(type##4) DO(type##8) DO(type##16)

#endif
