/* SPDX-License-Identifier: MIT */
/* Kernels that are made to meet one limit each; A, B and LOOPS are build options. `words` is a power of two. */

#ifndef LOOPS
#define LOOPS 16
#endif
#ifndef A
#define A 1
#endif
#ifndef B
#define B 1
#endif

/* Vector operations in A chains. */
kernel void vector_operations(global const uint *in, global uint *out, uint words)
{
    float chain[A];

    for (uint i = 0; i < A; i++)
        chain[i] = (float)(get_local_id(0) + i);
#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        for (uint i = 0; i < A; i++)
            chain[i] = fma(chain[i], 0.75f, 0.5f);
    float sum = 0;
    for (uint i = 0; i < A; i++)
        sum += chain[i];
    if (sum == (float)words + 1)
        out[0] = words;
}

/* The same of a quarter of the rate. */
kernel void slow_operations(global const uint *in, global uint *out, uint words)
{
    uint chain[A];

    for (uint i = 0; i < A; i++)
        chain[i] = get_local_id(0) + i;
#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        for (uint i = 0; i < A; i++)
            chain[i] = chain[i] * (chain[i] | 3);
    uint sum = 0;
    for (uint i = 0; i < A; i++)
        sum += chain[i];
    if (sum == words + 1)
        out[0] = words;
}

/* Local memory, lanes A words apart, B loads in a row. */
kernel void local_loads(global const uint *in, global uint *out, uint words)
{
    local uint data[3072];
    uint lane = get_local_id(0), sum = 0;

    for (uint i = lane; i < 3072; i += get_local_size(0))
        data[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        local const uint *place = data + ((lane * A + sum) & 1023);
        uint part = 0;
        for (uint i = 0; i < B; i++)
            part ^= place[i * 67];
        sum += part & 1;
    }
    if (sum == words + 1)
        out[0] = sum;
}

kernel void local_stores(global const uint *in, global uint *out, uint words)
{
    local uint data[3072];
    uint lane = get_local_id(0);

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        local uint *place = data + ((lane * A + loop) & 1023);
        for (uint i = 0; i < B; i++)
            place[i * 67] = lane;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (data[lane] == words + 1)
        out[0] = 1;
}

/* Each work-item reads B words at a time, A words apart between work-items, all work-groups the same `words`. */
kernel void shared_loads(global const uint *in, global uint *out, uint words)
{
    uint at = get_local_id(0) * A, sum = 0;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        uint part = 0;
        for (uint i = 0; i < B; i++)
            part += in[(at + (loop * B + i) * get_local_size(0) * A) & (words - 1)];
        sum += part;
    }
    if (sum == words + 1)
        out[0] = sum;
}

/* The same at places that look random, the same for the lanes of one line of A words. */
kernel void scattered_loads(global const uint *in, global uint *out, uint words)
{
    uint sum = 0;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        uint part = 0;
        for (uint i = 0; i < B; i++) {
            uint line = (uint)get_global_id(0) / A * 2654435761u + (loop * B + i) * 2246822519u;
            line ^= line >> 15;
            part += in[(line * A + (uint)get_global_id(0) % A) & (words - 1)];
        }
        sum += part;
    }
    if (sum == words + 1)
        out[0] = sum;
}

/* Each work-item has words of its own: a stream, with A operations a word. */
kernel void stream(global const uint *in, global uint *out, uint words)
{
    uint size = get_global_size(0), at = get_global_id(0), sum = 0;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        uint part = 0;
        for (uint i = 0; i < B; i++)
            part += in[(at + (loop * B + i) * size) & (words - 1)];
        for (uint i = 0; i < A; i++)
            part = part + (part << 5 ^ loop);
        sum += part;
    }
    if (sum == words + 1)
        out[0] = sum;
}

kernel void copy(global const uint *in, global uint *out, uint words)
{
    uint size = get_global_size(0), at = get_global_id(0);

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        out[(at + loop * size) & (words - 1)] = in[(at + loop * size) & (words - 1)];
}

/* Stores A words apart. */
kernel void stores(global const uint *in, global uint *out, uint words)
{
    uint size = get_global_size(0), at = get_global_id(0);

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        out[(at * A + loop * size * A) & (words - 1)] = at;
}

/* One load after the other, each at the place that the one before has read. */
kernel void chase(global const uint *in, global uint *out, uint words)
{
    uint at = (get_global_id(0) * A * 16) & (words - 1);

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        at = (at + in[at] + 16 * 1021 * B) & (words - 1);
    if (at == words + 1)
        out[0] = at;
}

/* Uniform places, B scalar loads before one is used. */
kernel void uniform_loads(global const uint *in, global uint *out, uint words)
{
    uint sum = 0, at = get_group_id(0) * 16 * A;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        uint part = 0;
        for (uint i = 0; i < B; i++)
            part += in[(at + (loop * B + i) * 16) & (words - 1)];
        sum += part;
    }
    if (sum == words + 1 && get_local_id(0) == 0)
        out[0] = sum;
}

/* Atomics on `A` words, 16 words apart. */
kernel void atomics(global const uint *in, global uint *out, uint words)
{
#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++)
        atomic_xor(&out[((get_global_id(0) + loop) % A * 16) & (words - 1)], get_local_id(0));
}

/* Branches that are taken, with little between them. */
kernel void branches(global const uint *in, global uint *out, uint words)
{
    uint value = words;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        uint turns = (loop & A) + 2;
#pragma nounroll
        for (uint i = 0; i < turns; i++)
            value = value * 3 + i;
    }
    if (value == words + 1)
        out[0] = value;
}

/* Code that is longer than an instruction cache: 1024 * A operations of 8 bytes in a row. */
#define ONE(n) value = fma(value, 1.5f + n, other);
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
#define MANY(n) SIXTEEN(n) SIXTEEN(n + 16) SIXTEEN(n + 32) SIXTEEN(n + 48)
#define THOUSAND(n)                                                                                \
    MANY(n) MANY(n + 64) MANY(n + 128) MANY(n + 192) MANY(n + 256) MANY(n + 320) MANY(n + 384)     \
    MANY(n + 448) MANY(n + 512) MANY(n + 576) MANY(n + 640) MANY(n + 704) MANY(n + 768)            \
    MANY(n + 832) MANY(n + 896) MANY(n + 960)
kernel void long_code(global const uint *in, global uint *out, uint words)
{
    float value = (float)get_local_id(0), other = (float)words;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        THOUSAND(0)
#if A > 1
        THOUSAND(1024)
        THOUSAND(2048)
        THOUSAND(3072)
        THOUSAND(4096)
        THOUSAND(5120)
#endif
    }
    if (value == (float)words + 1)
        out[0] = 1;
}

/* Work-groups that do nothing worth a start. */
kernel void nothing(global const uint *in, global uint *out, uint words)
{
    if (words == 0)
        out[0] = 1;
}

/* Rounds of little work between barriers. */
kernel void rounds(global const uint *in, global uint *out, uint words)
{
    local uint data[256];
    uint lane = get_local_id(0), value = lane;

#pragma nounroll
    for (uint loop = 0; loop < LOOPS; loop++) {
        data[lane] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < A; i++)
            value = value + data[(lane + i + loop) & (get_local_size(0) - 1)];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (value == words + 1)
        out[0] = value;
}
