/* SPDX-License-Identifier: MIT */
/* Control flow, work-items, calls, private and local memory. */

/* Reverses each group of up to 256 twice, the second time with the index added, with a barrier before each read. */
__kernel void barriers(__global const uint *input, __global uint *output)
{
    __local uint words[256];
    uint i = get_local_id(0), last = get_local_size(0) - 1;

    words[i] = input[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint word = words[last - i] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    words[i] = word;
    barrier(CLK_LOCAL_MEM_FENCE);
    output[get_global_id(0)] = words[last - i];
}

/* Inclusive prefix sum of each group, between two buffers whose sizes the host gives. */
__kernel void local_arguments(__global const uint *input, __global uint *output,
                              __local uint *first, __local uint *second)
{
    uint i = get_local_id(0);
    __local uint *from = first, *to = second;

    from[i] = input[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < get_local_size(0); step *= 2) {
        to[i] = from[i] + (i >= step ? from[i - step] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
        __local uint *swap = from;
        from = to;
        to = swap;
    }
    output[get_global_id(0)] = from[i];
}

/* What a work-item knows about itself: 24 words. */
__kernel void range_3d(__global const uint *input, __global uint *output)
{
    uint plane = get_global_size(0) * get_global_size(1);
    uint x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    uint z = get_global_id(2) - get_global_offset(2);
    __global uint *out = output + 24 * (z * plane + y * get_global_size(0) + x);

    for (uint d = 0; d < 3; d++) {
        out[d * 7 + 0] = get_global_id(d);
        out[d * 7 + 1] = get_local_id(d);
        out[d * 7 + 2] = get_group_id(d);
        out[d * 7 + 3] = get_global_size(d);
        out[d * 7 + 4] = get_local_size(d);
        out[d * 7 + 5] = get_num_groups(d);
        out[d * 7 + 6] = get_global_offset(d);
    }
    out[21] = get_work_dim();
    out[22] = get_global_id(3);
    out[23] = input[0];
}

/* Loops whose trip counts differ by lane, continue, break, switch and early return. */
__kernel void divergence(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0), word = input[i], sum = 0;

    if (word % 11 == 0)
        return;
    for (uint j = 0; j < word % 37; j++) {
        if ((j & 3) == 2)
            continue;
        switch ((word + j) % 6) {
        case 0:
            sum += 3;
            break;
        case 1:
            sum ^= j << 4;
            /* fall through */
        case 2:
            sum += 7 * j;
            break;
        case 4:
            for (uint k = j; k != 0; k >>= 1)
                sum += k & 1;
            break;
        default:
            sum = sum * 5 + 1;
        }
        if (sum > 100000)
            break;
        if (sum == 77)
            return;
    }
    output[i] = sum;
}

__attribute__((noinline)) uint mix_words(uint a, uint b)
{
    a ^= b * 0x85ebca6bu;
    return a ^ (a >> 13);
}

__attribute__((noinline)) uint4 mix_vectors(uint4 a, uint4 b)
{
    return (uint4)(mix_words(a.x, b.y), mix_words(a.y, b.z), mix_words(a.z, b.w),
                   mix_words(a.w, b.x));
}

__attribute__((noinline)) void mix_into(uint *place, uint word)
{
    *place = mix_words(*place, word);
}

/* Real calls, two deep, with values, vectors and a pointer to a private variable. */
__kernel void calls(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0), word = input[i];
    uint4 v = mix_vectors((uint4)(word, i, word + i, word * i), (uint4)(1, 2, 3, word));

    if (word & 1)
        mix_into(&word, v.x + v.y);
    output[i] = mix_words(word + v.z, v.w);
}

/* A private array that is indexed by data: sorts 24 words by insertion. */
__kernel void private_array(__global const uint *input, __global uint *output)
{
    uint words[24], i = get_global_id(0);

    for (uint n = 0; n < 24; n++) {
        uint word = input[i] * (n * 2 + 1) % 1009, at = n;
        for (; at > 0 && words[at - 1] > word; at--)
            words[at] = words[at - 1];
        words[at] = word;
    }
    for (uint n = 0; n < 24; n++)
        output[i * 24 + n] = words[n];
}

/* A private array of bytes larger than a line a lane. */
__kernel void private_bytes(__global const uint *input, __global uint *output)
{
    uchar bytes[200];
    uint i = get_global_id(0), word = input[i], sum = 0;

    for (uint n = 0; n < 200; n++)
        bytes[n] = n;
    for (uint n = 0; n < 100; n++) {
        uint at = (word + n * 7) % 200;
        bytes[at] += bytes[(at * 3 + word) % 200] + n;
    }
    for (uint n = 0; n < 200; n++)
        sum = sum * 31 + bytes[n];
    output[i] = sum;
}

struct inner {
    short a;
    char b[3];
};
struct outer {
    char tag;
    struct inner inner[2];
    int number;
    float4 vector;
    long big;
};

__kernel void struct_argument(__global const uint *input, __global uint *output,
                              struct outer outer, char small, short medium, long big, uchar3 triple)
{
    uint i = get_global_id(0);
    uint sum = input[i] + outer.tag + outer.number + (uint)outer.big + (uint)(outer.big >> 32);

    for (uint n = 0; n < 2; n++)
        sum += outer.inner[n].a * 3 + outer.inner[n].b[0] + outer.inner[n].b[1] * 5 +
               outer.inner[n].b[2] * 7;
    sum += (uint)(outer.vector.x * 2 + outer.vector.w * 8) + small * 11 + medium * 13;
    output[i] = sum + (uint)(big >> 20) + triple.x + triple.y * 256 + triple.z * 65536;
}

__constant uint table[16] = {3,  1,  4,  1,  5,   9,   2,   6,
                             53, 58, 97, 93, 238, 462, 643, 383};
__constant float weights[3] = {0.5f, 0.25f, 2.0f};

/* Program-scope constants by uniform and by divergent index, and a constant argument. */
__kernel void constants(__global const uint *input, __global uint *output, __constant uint *more)
{
    uint i = get_global_id(0);

    output[i] = table[input[i] % 16] * more[input[i] % 5] + table[get_group_id(0) % 16] +
                more[1] + (uint)(weights[i % 3] * 4.0f);
}

/* Every other element only, the others keep what they hold. */
__kernel void partial_stores(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0);

    if (input[i] & 1)
        output[i] = i;
}

/* Work-groups of any size that the driver likes. */
__kernel void any_group(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0);

    output[i] = input[i] + get_group_id(0) * get_local_size(0) + get_local_id(0);
}
