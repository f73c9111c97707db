/* SPDX-License-Identifier: MIT */
/*
 * sRSP: remote scope promotion that touches one L1 only (Yilmazer-Metin, "sRSP: a new scalable solution for
 * asymmetric synchronization on GPUs", 2021, section 4). Each L1 remembers
 *
 * - of each object the place in its FIFO of the latest release of the work-group's scope (LR-TBL).
 *   A remote acquire makes it write back what came before, and no more.
 * - objects whose next acquire of that scope is done in L2, as one of the device (PA-TBL). A remote
 *   operation has changed or flushed them.
 *
 * An acquire that forgets the L1's lines empties both. An object is known by its line.
 */
#ifndef MEM_PROTOCOL_SCOPED_SRSP_H
#define MEM_PROTOCOL_SCOPED_SRSP_H

#include "mem/protocol/scoped/probes.h"

uint8_t srsp_classify_l1(const struct step *step, enum protocol_stimulus stimulus);
enum walk_choice srsp_choose_walk(const struct step *step, uint64_t *addr);

extern const struct protocol_action
    srsp_note_release,   /* the line is at the FIFO's end, whatever is there of it, and in LR-TBL */
    srsp_note_promotion, /* counted */
    srsp_note_probe;     /* counted; and the object into PA-TBL */

#define SRSP_L1_ROWS                                                                               \
    {L1_I,                                                                                         \
     L1_STORE_RELEASE,                                                                             \
     L1_V,                                                                                         \
     {&verb_reserve_way, &verb_store_line_dirty, &srsp_note_release, &verb_acknowledge}},          \
        {L1_V,                                                                                     \
         L1_STORE_RELEASE,                                                                         \
         L1_V,                                                                                     \
         {&verb_store_line_dirty, &srsp_note_release, &verb_acknowledge}},                         \
        {L1_V,                                                                                     \
         L1_ATOMIC_RELEASE,                                                                        \
         L1_V,                                                                                     \
         {&verb_atomic_line, &srsp_note_release, &scoped_local_atomic}},                           \
        {L1_I, L1_PROMOTE, L1_I, {&srsp_note_promotion, L1_STAY}}, {                               \
        L1_V, L1_PROMOTE, L1_I,                                                                    \
        {                                                                                          \
            &scoped_write_dirty, &verb_drop_line, &srsp_note_promotion, L1_STAY                    \
        }                                                                                          \
    }

#endif
