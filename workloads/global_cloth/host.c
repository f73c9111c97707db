/* SPDX-License-Identifier: MIT */
/* One pass over the springs of several cloths. The result depends on the order, which each leaves
 * behind: the host satisfies them one after the other in that order, and compares all positions. */
#include <stdio.h>
#include <string.h>

#include "exclusive.h"
#include "global_cloth.cl.h"

enum { GROUP = 256, WIDTH = 33, HEIGHT = 34, PARTICLES = WIDTH * HEIGHT, PAPER_CLOTHS = 14 };
enum { SPRINGS = (WIDTH - 1) * HEIGHT + WIDTH * (HEIGHT - 1) + 2 * (WIDTH - 1) * (HEIGHT - 1) };
enum { SPACING = 64, STRETCH = 40 }; /* of the grid; positions lie so far off it at most */

/* Structural springs to the right and below, shear springs along the diagonals; in random order. */
static void make_springs(cl_uint *springs, cl_uint first, uint64_t *seed)
{
    static const cl_uint from[] = {0, 0, 0, 1}, to[] = {1, WIDTH, WIDTH + 1, WIDTH};
    cl_uint *next = springs;

    for (cl_uint place = 0; place < PARTICLES; place++)
        for (unsigned i = 0; i < 4; i++) {
            cl_uint here = first + place, square = (i < 2 ? 1 : 2) * SPACING * SPACING;
            if ((i == 1 || place % WIDTH + 1 < WIDTH) && (i == 0 || place / WIDTH + 1 < HEIGHT)) {
                memcpy(next, (cl_uint[]){here + from[i], here + to[i], square}, 3 * sizeof *next);
                next += 3;
            }
        }
    for (cl_uint i = SPRINGS; i-- > 1;) {
        cl_uint other = (cl_uint)(workload_random(seed) % (i + 1)), spring[3];

        memcpy(spring, springs + 3 * i, sizeof spring);
        memcpy(springs + 3 * i, springs + 3 * other, sizeof spring);
        memcpy(springs + 3 * other, spring, sizeof spring);
    }
}

/* Where they lie before: on a grid, or a little off it. */
static void place_particles(cl_uint *particles, size_t count, uint64_t *seed)
{
    for (size_t i = 0; i < 4 * count; i++) {
        const size_t grid[] = {i / 4 % WIDTH, i / 4 % PARTICLES / WIDTH, 0};
        particles[i] =
            i % 4 == 3 ? 0 : (cl_uint)(SPACING * grid[i % 4] + workload_random(seed) % STRETCH);
    }
}

static void satisfy(cl_uint *a, cl_uint *b, cl_int max)
{
    cl_int d[3], square = 0;

    for (int i = 0; i < 3; square += d[i] * d[i], i++)
        d[i] = (cl_int)b[i] - (cl_int)a[i];
    for (int i = 0; i < 3 && square > max; i++) {
        b[i] = (cl_uint)((cl_int)a[i] + d[i] - d[i] / 4);
        a[i] = (cl_uint)((cl_int)a[i] + d[i] / 4);
    }
    a[3]++;
    b[3]++;
}

/* Each constraint when it is next at both its particles, until none is left or none can be. */
static bool replay(cl_uint *particles, const cl_uint *springs, cl_uint *seen, size_t count)
{
    size_t done = 0;

    for (size_t i = 0, since = 0; since < count; i = (i + 1) % count, since++) {
        cl_uint *a = particles + 4 * springs[3 * i], *b = particles + 4 * springs[3 * i + 1];

        if (seen[2 * i] == a[3] && seen[2 * i + 1] == b[3]) {
            satisfy(a, b, (cl_int)springs[3 * i + 2]);
            seen[2 * i] = UINT32_MAX;
            since = 0;
            done++;
        }
    }
    return done == count;
}

int main(int argc, char **argv)
{
    uint64_t version = EXCLUSIVE_FINE, paper = 0;
    const struct workload_option options[] = {EXCLUSIVE_OPTIONS(&version, &paper)};
    struct workload workload = {
        .name = "global_cloth",
        .summary = "Distance constraints of cloths.",
        EXCLUSIVE_WORKLOAD(options, "cloths of 33 x 34 particles", 4, 1, 1000)};
    char build_options[80];

    workload_parse(&workload, argc, argv);
    workload.size = paper != 0 ? PAPER_CLOTHS : workload.size;
    snprintf(build_options, 80, "-D GROUP=%d -D VERSION=%u", GROUP, (unsigned)version);
    workload_open(&workload, kernel_source, build_options);
    size_t particles = workload.size * PARTICLES, count = workload.size * SPRINGS;
    uint64_t *seed = &workload.seed;
    cl_uint *start = workload_own_memory(&workload, particles, 16);
    cl_uint *found = workload_own_memory(&workload, particles, 16);
    cl_uint *seen = workload_own_memory(&workload, count, 8);
    cl_uint *springs = workload_own_memory(&workload, count, 12);
    cl_kernel kernel = workload_own_kernel(&workload, "satisfy_all");
    cl_mem locks = workload_own_buffer(&workload, 4 * particles, found);
    cl_mem buffer = workload_own_buffer(&workload, 16 * particles, NULL),
           seen_buffer = workload_own_buffer(&workload, 8 * count, NULL);
    bool right = true;
    for (size_t i = 0; i < workload.size; i++)
        make_springs(springs + 3 * i * SPRINGS, (cl_uint)(i * PARTICLES), seed);
    cl_mem spring_buffer = workload_own_buffer(&workload, 12 * count, springs);
    workload_arguments(kernel, "bbbbu", buffer, locks, seen_buffer, spring_buffer, (cl_uint)count);
    for (uint64_t i = 0; i < workload.iterations; i++) {
        place_particles(start, particles, seed);
        workload_write(&workload, buffer, start, 16 * particles);
        workload_run_items(&workload, kernel, count, GROUP);
        workload_read(&workload, buffer, found, 16 * particles);
        workload_read(&workload, seen_buffer, seen, 8 * count);
        right = right && replay(start, springs, seen, count) &&
                workload_is_equal("coordinate", found, start, 4 * particles);
    }
    int status = workload_verdict(&workload, right, springs, 12 * count);
    workload_close(&workload);
    return status;
}
