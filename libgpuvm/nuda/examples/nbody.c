/* SPDX-License-Identifier: MIT */
/*
 * Bodies that attract each other: each step, the acceleration of each by all others, in a function
 * that the loop calls, then their new places. The bodies are structs, the constants are passed as
 * one.
 *
 *     nbody [bodies [steps]]      1000 10
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct body {
    float x, y, z, mass;
};

struct velocity {
    float x, y, z;
};

struct world {
    float step, softening;
    int bodies;
};

static float inverse_cube(float dx, float dy, float dz, float softening)
{
    float square = dx * dx + dy * dy + dz * dz + softening;
    float root = sqrtf(square);
    return 1 / (square * root);
}

static void accelerate(struct velocity *velocities, const struct body *bodies, struct world world)
{
#pragma nuda parallel for block(64)
    for (int i = 0; i < world.bodies; i++) {
        float ax = 0, ay = 0, az = 0;
        for (int j = 0; j < world.bodies; j++) {
            float dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y,
                  dz = bodies[j].z - bodies[i].z;
            float factor = bodies[j].mass * inverse_cube(dx, dy, dz, world.softening);
            ax += dx * factor;
            ay += dy * factor;
            az += dz * factor;
        }
        velocities[i].x += ax * world.step;
        velocities[i].y += ay * world.step;
        velocities[i].z += az * world.step;
    }
}

static void move(struct body *bodies, const struct velocity *velocities, struct world world)
{
#pragma nuda parallel for
    for (int i = 0; i < world.bodies; i++) {
        bodies[i].x += velocities[i].x * world.step;
        bodies[i].y += velocities[i].y * world.step;
        bodies[i].z += velocities[i].z * world.step;
    }
}

int main(int argc, char **argv)
{
    struct world world = {
        .step = 0.01f, .softening = 0.001f, .bodies = argc > 1 ? atoi(argv[1]) : 1000};
    int steps = argc > 2 ? atoi(argv[2]) : 10;
    struct body *bodies = malloc(world.bodies * sizeof(*bodies));
    struct velocity *velocities = calloc(world.bodies, sizeof(*velocities));
    if (!bodies || !velocities)
        return 1;
    for (int i = 0; i < world.bodies; i++) {
        bodies[i].x = (float)(i * 7919 % 1009) / 1009;
        bodies[i].y = (float)(i * 6101 % 1013) / 1013;
        bodies[i].z = (float)(i * 4507 % 1019) / 1019;
        bodies[i].mass = 0.001f * (float)(1 + i % 10);
    }
    for (int k = 0; k < steps; k++) {
        accelerate(velocities, bodies, world);
        move(bodies, velocities, world);
    }
    double sum = 0;
    for (int i = 0; i < world.bodies; i++)
        sum += (double)bodies[i].x + 2 * (double)bodies[i].y + 3 * (double)bodies[i].z;
    printf("%d bodies, %d steps: the first is at %a %a %a, sum %a\n", world.bodies, steps,
           (double)bodies[0].x, (double)bodies[0].y, (double)bodies[0].z, sum);
    free(bodies);
    free(velocities);
    return 0;
}
