/* SPDX-License-Identifier: MIT */
/* What libnuda-fake.so tells beside nuda_device_open, to who opens it by dlopen. */
#ifndef NUDA_TESTS_DEVICE_FAKE_H
#define NUDA_TESTS_DEVICE_FAKE_H

#include "nuda_device.h"

/* Waits for all kernels of all fake devices of the process. */
NUDA_API void nuda_fake_finish(void);

/* By how much longer than the card's kernels the host's kernels have computed since the start. A
 * program that waits for each kernel subtracts it from its time to have the card's. */
NUDA_API double nuda_fake_excess_us(void);

#endif
