/* SPDX-License-Identifier: MIT */
/* Formats of buffers a second time: one channel after the other, with libm and in double
 * precision. It does not follow src/isa/gcn/memory_format.c, whose mistakes it would share. */
#ifndef TESTS_ISA_REFERENCE_FORMAT_H
#define TESTS_ISA_REFERENCE_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reference_format {
    uint32_t data, number; /* DATA_FORMAT and NUM_FORMAT */
    unsigned channels, bits;
};

/* Every format that is modelled. */
const struct reference_format *reference_formats(size_t *count);
/* Their part of the descriptor's last word; selections are its low 12 bits. */
uint32_t reference_format_word(const struct reference_format *format);

/* What a load of `element` gives a component; NULL: the element is out of range. */
uint32_t reference_load_format(const struct reference_format *format, uint32_t selections,
                               unsigned component, const unsigned char *element);
/* The element that the first `count` components of a color become. */
void reference_store_format(const struct reference_format *format, uint32_t selections,
                            const uint32_t *color, unsigned count, unsigned char *element);

#endif
