/* SPDX-License-Identifier: MIT */
/* The ways of libgpuvm and their counterparts by hand. */
#include "arms.h"

#define BY_HAND "auto-sync"
#define PAGE_DOWN "auto-sync, page down"
#define PAGE_BOTH "auto-sync, page down, up"
#define INPUTS_UP "inputs up, x' down"

/* clang-format off */
const struct pair pairs[] = {
    {"control",            BY_HAND,     TOUCH_NONE,
     USE_BY_HAND,    CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_NONE},
    {"libgpuvm",           BY_HAND,     TOUCH_NONE,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"libgpuvm-ro",        BY_HAND,     TOUCH_NONE,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"libgpuvm-many",      BY_HAND,     TOUCH_NONE,
     USE_READ_WRITE, CALLS_MANY, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"libgpuvm-many-ro",   BY_HAND,     TOUCH_NONE,
     USE_READ_ONLY,  CALLS_MANY, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"libgpuvm-many-wo",   BY_HAND,     TOUCH_NONE,
     USE_WRITE_ONLY, CALLS_MANY, ARRAYS_MALLOC,  REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"alloc",              BY_HAND,     TOUCH_NONE,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_ALLOC,   REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"alloc-many",         BY_HAND,     TOUCH_NONE,
     USE_READ_WRITE, CALLS_MANY, ARRAYS_ALLOC,   REFERENCE_STAY,      BOUND_UNTOUCHED},
    {"false",              PAGE_DOWN,   TOUCH_VECTOR,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-ro",           PAGE_DOWN,   TOUCH_VECTOR,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-matrix",       PAGE_DOWN,   TOUCH_MATRIX_READ,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-matrix-ro",    PAGE_DOWN,   TOUCH_MATRIX_READ,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-many",         PAGE_DOWN,   TOUCH_VECTOR,
     USE_READ_WRITE, CALLS_MANY, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-matrix-many",  PAGE_DOWN,   TOUCH_MATRIX_READ,
     USE_READ_WRITE, CALLS_MANY, ARRAYS_MALLOC,  REFERENCE_PAGE,      BOUND_FALSE},
    {"false-write",        PAGE_BOTH,   TOUCH_MATRIX_WRITE,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE_BOTH, BOUND_FALSE},
    {"false-write-ro",     PAGE_BOTH,   TOUCH_MATRIX_WRITE,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_PAGE_BOTH, BOUND_FALSE},
    {"false-alloc",        PAGE_DOWN,   TOUCH_VECTOR,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_ALLOC,   REFERENCE_PAGE,      BOUND_FALSE},
    {"false-matrix-alloc", PAGE_DOWN,   TOUCH_MATRIX_READ,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_ALLOC,   REFERENCE_PAGE,      BOUND_FALSE},
    {"false-write-alloc",  PAGE_BOTH,   TOUCH_MATRIX_WRITE,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_ALLOC,   REFERENCE_PAGE_BOTH, BOUND_FALSE},
    {"copy",               "full copy", TOUCH_PARTLY,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_FULL,      BOUND_PARTLY},
    {"copy-ro",            INPUTS_UP,   TOUCH_PARTLY,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_INPUTS,    BOUND_PARTLY},
    {"copyall",            "full copy", TOUCH_CHANGE_ALL,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_FULL,      BOUND_ALL},
    {"copyall-ro",         INPUTS_UP,   TOUCH_CHANGE_ALL,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_INPUTS,    BOUND_ALL},
    {"copyall-alloc",      "full copy", TOUCH_CHANGE_ALL,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_ALLOC,   REFERENCE_FULL,      BOUND_ALL},
    {"readall",            "all down",  TOUCH_READ_ALL,
     USE_READ_WRITE, CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_DOWN,      BOUND_NONE},
    {"readall-ro",         "x' down",   TOUCH_READ_ALL,
     USE_READ_ONLY,  CALLS_EACH, ARRAYS_MALLOC,  REFERENCE_DOWN_X,    BOUND_NONE},
};
/* clang-format on */
const unsigned pair_count = sizeof(pairs) / sizeof(pairs[0]);
