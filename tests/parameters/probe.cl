/* SPDX-License-Identifier: MIT */
/* One kernel for each thing that a parameter governs. `n` is a work amount, `out` keeps the compiler from dropping it. */

#define CHAIN(name, type, step)                                                                    \
    __kernel void name(__global uint *out, __global const uint *in, int n)                         \
    {                                                                                              \
        type x = (type)(get_local_id(0) + 1), y = (type)in[0];                                     \
        for (int i = 0; i < n; i++) {                                                              \
            step step step step step step step step                                                \
        }                                                                                          \
        out[get_global_id(0)] = (uint)x;                                                           \
    }
CHAIN(full, float, x = x * y + 1.0f;)
CHAIN(quarter, uint, x = x * (uint)y + 3u;)
CHAIN(convert, uint, x = (uint)((float)x + 1.0f);)
CHAIN(double_add, double, x = x + (double)y;)
CHAIN(double_multiply, double, x = x * (double)y;)

/* Uniform arithmetic: the scalar unit. */
__kernel void scalar_alu(__global uint *out, __global const uint *in, int n)
{
    uint x = in[0];

    for (int i = 0; i < n; i++)
        x = (x ^ (x >> 3)) + (x & 21u) + (uint)i;
    out[get_global_id(0)] = x;
}

/* Divergence: compares feed branches through the scalar unit. */
__kernel void branches(__global uint *out, __global const uint *in, int n)
{
    uint x = (uint)get_local_id(0) + in[0];

    for (int i = 0; i < n; i++) {
        if (x & 1)
            x = x * 3u + out[x & 31];
        else
            x = (x >> 1) + out[(x & 31) + 32];
    }
    out[get_global_id(0)] = x;
}

#define LOADS(name, type, place)                                                                   \
    __kernel void name(__global uint *out, __global const type *in, int n)                         \
    {                                                                                              \
        uint sum = 0;                                                                              \
        uint id = (uint)get_global_id(0);                                                          \
        for (int i = 0; i < n; i++) {                                                              \
            type value = in[place];                                                                \
            sum += ((const uint *)&value)[0] + ((const uint *)&value)[sizeof(type) / 4 - 1];        \
        }                                                                                          \
        out[id] = sum;                                                                             \
    }
LOADS(stream, uint, id + (uint)i * (uint)get_global_size(0))
LOADS(hit, uint, (id & 63) + ((uint)i & 15) * 64)
LOADS(hit_random, uint, ((id * 29) & 63) + ((uint)i & 15) * 64)
LOADS(hit_x2, uint2, (id & 63) + ((uint)i & 7) * 64)
LOADS(hit_x4, uint4, (id & 63) + ((uint)i & 3) * 64)
LOADS(hit_x4_random, uint4, ((id * 29) & 63) + ((uint)i & 3) * 64)
LOADS(gather, uint, (id * 16 + (uint)i * 1040) & 0xffff)
LOADS(strided, uint, ((id + (uint)i * 64u) * 512) & 0xfffff)
LOADS(scatter, uint, (id * 977 + (uint)i * 4099) & 0xfffff)

__kernel void store(__global uint *out, __global const uint *in, int n)
{
    for (int i = 0; i < n; i++)
        out[get_global_id(0) + (uint)i * get_global_size(0)] = (uint)i;
}

/* Stores of many registers at once: none is written again before all were sent. */
__kernel void store_wide(__global uint *out, __global const uint *in, int n)
{
    uint x[16];

    for (int k = 0; k < 16; k++)
        x[k] = in[(uint)k + (uint)get_local_id(0)] * (uint)(k + 3);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 16; k++)
            out[(uint)(i * 16 + k) * (uint)get_global_size(0) + (uint)get_global_id(0)] = x[k];
}

/* Loads and stores in turn to memory: reads meet a write queue. */
__kernel void copy(__global uint *out, __global const uint *in, int n)
{
    for (int i = 0; i < n; i++)
        out[get_global_id(0) + (uint)i * get_global_size(0)] =
            in[get_global_id(0) + (uint)i * get_global_size(0)];
}

__kernel void atomics(__global uint *out, __global const uint *in, int n)
{
    for (int i = 0; i < n; i++)
        atomic_add((volatile __global uint *)&out[get_global_id(0)], in[0]);
}

__kernel void compare_swaps(__global uint *out, __global const uint *in, int n)
{
    uint old = 0;

    for (int i = 0; i < n; i++)
        old = atomic_cmpxchg((volatile __global uint *)&out[get_global_id(0)], old, old + in[0]);
}

/* One work-item follows pointers `stride` bytes apart over `span` bytes. */
__kernel void chase(__global uint *out, __global const uint *in, int n)
{
    uint at = (uint)get_local_id(0);

    for (int i = 0; i < n; i++)
        at = in[at];
    out[get_global_id(0)] = at;
}

/* The same through scalar loads: the address is uniform. */
__kernel void scalar_chase(__global uint *out, __constant uint *in, int n)
{
    uint at = 0;

    for (int i = 0; i < n; i++)
        at = in[at];
    out[get_global_id(0)] = at;
}

__kernel void scalar_wide(__global uint *out, __constant uint16 *in, int n)
{
    uint sum = 0;

    for (int i = 0; i < n; i++) {
        uint16 v = in[(i * 5 + (int)get_group_id(0) * 7) & 1023];
        sum += v.s0 ^ v.s5 ^ v.sf;
    }
    out[get_global_id(0)] = sum;
}

/* Uniform loads that hit, twelve at a time. */
__kernel void scalar_hits(__global uint *out, __constant uint *in, int n)
{
    uint sum = 0;

    __attribute__((opencl_unroll_hint(1))) for (int i = 0; i < n; i++) {
        __constant uint *at = in + ((i * 16) & 63);
        sum += (at[0] ^ at[16] ^ at[32] ^ at[48] ^ at[64] ^ at[80]) +
               (at[96] ^ at[112] ^ at[128] ^ at[144] ^ at[160] ^ at[176]);
    }
    out[get_global_id(0)] = sum;
}

__kernel void local_reads(__global uint *out, __global const uint *in, int n, int stride)
{
    __local uint table[2048];
    uint id = (uint)get_local_id(0), sum = 0;

    for (uint i = id; i < 2048; i += (uint)get_local_size(0))
        table[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++)
        sum += table[(id * (uint)stride + (uint)i) & 2047];
    out[get_global_id(0)] = sum;
}

__kernel void local_writes(__global uint *out, __global const uint *in, int n, int stride)
{
    __local uint table[2048];
    uint id = (uint)get_local_id(0);

    for (int i = 0; i < n; i++)
        table[(id * (uint)stride + (uint)i * 64) & 2047] = (uint)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = table[id];
}

/* Work-groups with much local memory: how many fit. (Where clang knows the size, it raises the register count to what
 * leaves just so many wavefronts, and the registers become the limit.) */
__kernel void big_local(__global uint *out, __global const uint *in, int n, __local uint *table)
{
    uint id = (uint)get_local_id(0), x = in[0];

    table[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    __attribute__((opencl_unroll_hint(1))) for (int i = 0; i < n; i++)
        x = in[(x + id) & 1023];
    out[get_global_id(0)] = x + table[id ^ 1];
}

/* Work-groups of several wavefronts that meet often. */
__kernel void barriers(__global uint *out, __global const uint *in, int n)
{
    __local uint cell[256];
    uint id = (uint)get_local_id(0);

    cell[id] = id;
    for (int i = 0; i < n; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        cell[id] += cell[(id + 64) & 255];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = cell[id];
}

__kernel void prints(__global uint *out, __global const uint *in, int n)
{
    for (int i = 0; i < n; i++)
        printf("");
}

__kernel void nothing(__global uint *out, __global const uint *in, int n)
{
}

/* Long straight code: more than an instruction cache line at a time, and more than the cache in all. */
#define STEP8(k)                                                                                   \
    x = x * 1664525u + (k); x ^= x >> 7; x = x * 22695477u + (k) * 3u; x ^= x << 3;                \
    x += 0x9e3779b9u * (k); x ^= x >> 11; x = x * 69069u + 5u * (k); x ^= x << 9;
#define STEP64(k) STEP8(k) STEP8(k + 1) STEP8(k + 2) STEP8(k + 3) STEP8(k + 4) STEP8(k + 5) STEP8(k + 6) STEP8(k + 7)
#define STEP512(k) STEP64(k) STEP64(k + 8) STEP64(k + 16) STEP64(k + 24) STEP64(k + 32) STEP64(k + 40) STEP64(k + 48) STEP64(k + 56)
__kernel void long_code(__global uint *out, __global const uint *in, int n)
{
    uint x = (uint)get_global_id(0);

    for (int i = 0; i < n; i++) {
        STEP512(1u) STEP512(100u)
    }
    out[get_global_id(0)] = x;
}

/* Many independent loads before the first use: how many may be in flight. */
__kernel void wide(__global uint *out, __global const uint *in, int n)
{
    uint id = (uint)get_global_id(0), sum = 0, total = (uint)get_global_size(0);

    for (int i = 0; i < n; i++) {
        uint base = id + (uint)i * 24u * total;
        uint v[24];
        for (int k = 0; k < 24; k++)
            v[k] = in[(base + (uint)k * total) & 0xfffff];
        for (int k = 0; k < 24; k++)
            sum ^= v[k];
    }
    out[id] = sum;
}

/* Stores to a new row each: activates for writing. */
__kernel void scatter_stores(__global uint *out, __global const uint *in, int n)
{
    for (int i = 0; i < n; i++)
        out[(get_global_id(0) * 16u * 977u + (uint)i * 16u * 4099u) & 0xfffff] = (uint)i;
}

/* Acquires: the L1 is emptied again and again. */
/* Each work-group's first work-item writes a line, and reads those of the four work-groups behind it. */
__kernel void exchange(__global uint *out, __global const uint *in, int n)
{
    volatile __global uint *words = out;
    uint group = get_group_id(0), sum = in[0];

    if (get_local_id(0) != 0)
        return;
    for (int i = 0; i < n; i++) {
        words[group * 16] = i;
        for (uint k = 1; k <= 4; k++)
            sum += words[(group + k) % get_num_groups(0) * 16];
    }
    words[group * 16 + 1] = sum;
}

/* Each work-group's first work-item counts in a line of its own, and reads others' plainly. */
__kernel void counters(__global uint *out, __global const uint *in, int n)
{
    uint group = get_group_id(0), sum = in[0];

    if (get_local_id(0) != 0)
        return;
    for (int i = 0; i < n; i++) {
        atomic_inc((volatile __global uint *)&out[group * 16]);
        for (uint k = 1; k <= 4; k++)
            sum += out[(group + k) % get_num_groups(0) * 16 + (i & 7) + 1];
    }
    out[group * 16 + 15] = sum;
}

/* Owners, even work-groups, release one object after the other to themselves; others acquire these remotely, and one of
 * their own. Hints as in wavetank/hints.cl.h. */
#define SAY(hint) __asm__ volatile("s_nop " #hint : : : "memory")
__kernel void thieves(__global uint *out, __global const uint *in, int n)
{
    enum { OBJECTS = 12, WORDS = 16 };
    uint group = get_group_id(0), other = (group + 1) % get_num_groups(0), sum = in[0];

    if (get_local_id(0) != 0)
        return;
    for (int i = 0; i < n; i++) {
        __global uint *own = out + (group * OBJECTS + i % OBJECTS) * WORDS;

        SAY(0x5a21); /* release of the work-group */
        *own = i;
        SAY(0);
        if (group % 2 == 0)
            continue;
        for (uint k = 0; k < 2; k++) {
            SAY(0x5a16); /* remote acquire */
            sum += out[((k == 0 ? group : other) * OBJECTS + i % OBJECTS) * WORDS];
            SAY(0);
        }
    }
    out[get_num_groups(0) * OBJECTS * WORDS + group] = sum;
}

__kernel void fences(__global uint *out, __global const uint *in, int n)
{
    uint sum = 0;

    for (int i = 0; i < n; i++) {
        sum += in[get_local_id(0) + ((uint)i & 3) * 64];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
}

/* The first group waits for the last one. */
__kernel void spin(__global uint *out, __global const uint *in, int n)
{
    volatile __global uint *flag = out;

    if (get_group_id(0) == get_num_groups(0) - 1)
        atomic_add(flag, 1u);
    if (get_group_id(0) == 0)
        while (atomic_add(flag, 0u) == 0)
            ;
    out[get_global_id(0) + 64] = in[0];
}

/* Transactions of the work-group on a table of 16 rows. Each reads a word that all read, and adds to a word of
 * its own and to one of eight. (The header with the hints is not at hand here.) */
#define BEGIN() __asm__ volatile("s_nop 0x5a40" : : : "memory")
#define COMMIT() __asm__ volatile("s_nop 0x5a41" : : : "memory")
__kernel void transactions(__global uint *out, __global const uint *in, int n)
{
    volatile __local uint words[2048];
    uint id = (uint)get_local_id(0);

    for (uint i = id; i < 2048; i += get_local_size(0))
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < n; i++) {
        uint place = 32 * ((id + (uint)i) & 7) + 256 * ((uint)i & 1);

        BEGIN();
        words[512 + id] += words[1024 + 32 * ((uint)i & 7)] + 1;
        words[place] += 1;
        COMMIT();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = words[id];
}

/* Transactions on global memory. Each adds to words that few others use, or, where n is even, many. It loads a
 * word of its own again and again outside of them. */
__kernel void global_transactions(__global uint *out, __global const uint *in, int n)
{
    volatile __global uint *words = out;
    uint id = (uint)get_global_id(0), sum = 0, most = (n & 1) != 0 ? 4095 : 63;

    for (int i = 0; i < n; i++) {
        sum += in[id];
        BEGIN();
        for (uint j = 0; j < 4; j++)
            words[(id * 97 + (uint)i * 41 + j * 977) & most] += 1;
        COMMIT();
    }
    out[get_global_id(0) + 8192] = sum;
}

/* Each adds to words of its own, in four rows of its bank: an entry of shadow memory for each. */
__kernel void own_transactions(__global uint *out, __global const uint *in, int n)
{
    volatile __local uint words[256];
    uint id = (uint)get_local_id(0) & 31;

    for (int i = 0; i < n; i++) {
        BEGIN();
        for (uint row = 0; row < 4; row++)
            words[id + 32 * row] += 1;
        COMMIT();
    }
    out[get_global_id(0)] = words[id];
}
