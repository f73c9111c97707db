/* SPDX-License-Identifier: MIT */
/* Each work-item satisfies one distance constraint of a cloth. Where two particles are farther apart than the spring
 * between them allows, both move toward each other. */
#include "exclusive.cl"

/* A particle: x, y, z, and how many constraints have been satisfied at it. A constraint: its two particles, and the
 * square of its length. `seen`: which constraint of each of its particles it was. */
static inline void satisfy(global_words a, global_words b, global_words seen, int most)
{
    int ax = a[0], ay = a[1], az = a[2];
    int dx = (int)b[0] - ax, dy = (int)b[1] - ay, dz = (int)b[2] - az;
    uint first = a[3], second = b[3];

    if (dx * dx + dy * dy + dz * dz > most) {
        a[0] = ax + dx / 4;
        a[1] = ay + dy / 4;
        a[2] = az + dz / 4;
        b[0] = ax + dx - dx / 4;
        b[1] = ay + dy - dy / 4;
        b[2] = az + dz - dz / 4;
    }
    a[3] = first + 1;
    b[3] = second + 1;
    seen[0] = first;
    seen[1] = second;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
satisfy_all(global_words particles, global_words locks, global_words seen,
            __global const uint *constraints, uint count)
{
    uint item = get_global_id(0), kept = 0;

    if (item < count) {
        uint a = constraints[3 * item], b = constraints[3 * item + 1];
        int most = constraints[3 * item + 2];

        EXCLUSIVE_PAIR(locks, a, b, kept, {
            satisfy(particles + 4 * a, particles + 4 * b, seen + 2 * item, most);
        });
    }
}
