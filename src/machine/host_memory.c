/* SPDX-License-Identifier: MIT */
/* Host transfers: the bytes go through the memory system's own tables, the time is a latency and a
 * bandwidth. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "machine/machine_private.h"

enum { CHUNK_BYTES = 1 << 20 };

void memory_write(struct machine *machine, uint64_t addr, const void *bytes, uint64_t count)
{
    if (!machine->is_lost)
        machine->model->operations->write(machine->model, addr, bytes, count);
    else
        memcpy(backing_host(&machine->backing, addr), bytes, count);
}

void memory_read(struct machine *machine, uint64_t addr, void *bytes, uint64_t count)
{
    if (!machine->is_lost) {
        machine->model->operations->read(machine->model, addr, bytes, count);
        return;
    }
    if (machine->model->operations->has_caches && !machine->is_warned) {
        machine->is_warned = true;
        fprintf(stderr, "wavetank: memory is read after a kernel that was stopped in the middle: "
                        "what was still in the caches is missing\n");
    }
    memcpy(bytes, backing_host(&machine->backing, addr), count);
}

uint64_t machine_allocate(struct machine *machine, uint64_t bytes, uint64_t align, const char *name)
{
    return backing_allocate(&machine->backing, bytes, align, name);
}

/* The range may be given to another buffer: no cache may keep a line of it, least of all a dirty
 * one. */
void memory_release(struct machine *machine, uint64_t addr)
{
    const struct backing_block *block = backing_nearest(&machine->backing, addr);

    check(block != NULL && block->addr == addr, "0x%llx is freed, but is no buffer",
          (unsigned long long)addr);
    if (!machine->is_lost)
        machine->model->operations->discard(machine->model, addr,
                                            align_up(block->bytes, LINE_BYTES));
    backing_free(&machine->backing, addr);
}

void machine_free(struct machine *machine, uint64_t addr)
{
    memory_release(machine, addr);
}

bool machine_read_string(struct machine *machine, uint64_t addr, struct text *text)
{
    const struct backing_block *block = backing_nearest(&machine->backing, addr);
    uint64_t left;

    if (block == NULL || addr < block->addr || addr - block->addr >= block->bytes)
        return false;
    left = block->bytes - (addr - block->addr);
    while (left > 0) {
        char chunk[64];
        uint64_t count = left < sizeof chunk ? left : sizeof chunk, length;

        memory_read(machine, addr, chunk, count);
        length = strnlen(chunk, count);
        text_add_bytes(text, chunk, length);
        if (length < count)
            break;
        addr += count;
        left -= count;
    }
    return true;
}

static uint64_t bandwidth_mb_per_second(const struct host_parameters *host,
                                        enum machine_transfer transfer)
{
    switch (transfer) {
    case TRANSFER_PAGEABLE:
        return host->pageable_mb_per_second;
    case TRANSFER_PINNED:
        return host->pinned_mb_per_second;
    case TRANSFER_ON_DEVICE:
        return host->on_device_mb_per_second;
    case TRANSFER_UNTIMED:
        break;
    }
    return 0;
}

void machine_charge_transfer(struct machine *machine, uint64_t bytes,
                             enum machine_transfer transfer)
{
    const struct host_parameters *host = &machine->parameters->host;
    uint64_t bandwidth = bandwidth_mb_per_second(host, transfer);

    if (machine->is_lost || bandwidth == 0)
        return;
    /* 1 MB/s is 1 byte in 1000 ns */
    machine->model->operations->wait_ns(
        machine->model, host->transfer_latency_ns + (bytes * 1000 + bandwidth - 1) / bandwidth);
}

void machine_write(struct machine *machine, uint64_t addr, const void *bytes, uint64_t count,
                   enum machine_transfer transfer)
{
    if (count == 0)
        return;
    memory_write(machine, addr, bytes, count);
    machine_charge_transfer(machine, count, transfer);
}

void machine_read(struct machine *machine, uint64_t addr, void *bytes, uint64_t count,
                  enum machine_transfer transfer)
{
    if (count == 0)
        return;
    memory_read(machine, addr, bytes, count);
    machine_charge_transfer(machine, count, transfer);
}

void machine_copy(struct machine *machine, uint64_t to, uint64_t from, uint64_t count)
{
    unsigned char *chunk = allocate(CHUNK_BYTES, 1);

    for (uint64_t done = 0; done < count;) {
        uint64_t now = count - done < CHUNK_BYTES ? count - done : CHUNK_BYTES;

        memory_read(machine, from + done, chunk, now);
        memory_write(machine, to + done, chunk, now);
        done += now;
    }
    free(chunk);
    machine_charge_transfer(machine, 2 * count, TRANSFER_ON_DEVICE);
}

void machine_fill(struct machine *machine, uint64_t addr, const void *pattern,
                  uint32_t pattern_bytes, uint64_t count)
{
    uint64_t chunk_bytes = CHUNK_BYTES / pattern_bytes * pattern_bytes;
    unsigned char *chunk = allocate(CHUNK_BYTES, 1);

    check(count % pattern_bytes == 0, "a fill of %llu bytes with a pattern of %u",
          (unsigned long long)count, pattern_bytes);
    for (uint64_t i = 0; i < chunk_bytes && i < count; i += pattern_bytes)
        memcpy(chunk + i, pattern, pattern_bytes);
    for (uint64_t done = 0; done < count;) {
        uint64_t now = count - done < chunk_bytes ? count - done : chunk_bytes;

        memory_write(machine, addr + done, chunk, now);
        done += now;
    }
    free(chunk);
    machine_charge_transfer(machine, count, TRANSFER_ON_DEVICE);
}
