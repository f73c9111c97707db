/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

static void keep_reply(void *context, uint32_t node, const struct message *message)
{
    struct bench *bench = context;

    (void)node;
    check(bench->reply_count < BENCH_REPLIES, "too many replies");
    memcpy(&bench->replies[bench->reply_count++], message, sizeof *message);
}

static struct controller_shape shape_or(const struct controller_shape *shape, uint32_t sets,
                                        uint32_t ways)
{
    if (shape->sets != 0)
        return *shape;
    return (struct controller_shape){
        .sets = sets, .ways = ways, .mshr_entries = 16, .waiting_entries = 64};
}

void bench_init(struct bench *bench, const struct bench_options *options)
{
    struct address_map_parameters parameters = {
        .rule = "modulo", .slices = options->slices, .channels_per_slice = 2,
        .interleave_bytes = ADDRESS_INTERLEAVE_BYTES};
    struct controller_shape l1 = shape_or(&options->l1, 64, 4);
    struct controller_shape l2 = shape_or(&options->l2, 128, 16);
    struct diagnosis diagnosis;

    memset(bench, 0, sizeof *bench);
    check(address_map_init(&bench->map, &parameters, &diagnosis), "map");
    check(backing_init(&bench->backing, 2 << 20, true, &diagnosis), "%s", diagnosis.message);
    bench->buffer = backing_allocate(&bench->backing, BENCH_BYTES, 256, "bench");
    bench->upper_count = options->l1s + options->scalars;
    bench->slice_count = options->slices;
    for (uint32_t i = 0; i < bench->upper_count; i++) {
        controller_init(&bench->uppers[i], i < options->l1s ? "l1" : "scalar", options->protocol,
                        i < options->l1s ? ROLE_L1 : ROLE_SCALAR, &l1, NULL, (uint16_t)i,
                        options->breaks);
        bench->upper_list[i] = &bench->uppers[i];
    }
    for (uint32_t i = 0; i < bench->slice_count; i++) {
        controller_init(&bench->slices[i], "l2", options->protocol, ROLE_L2, &l2, &bench->map,
                        (uint16_t)i, options->breaks);
        bench->slices[i].l1s = (uint16_t)options->l1s;
        bench->slice_list[i] = &bench->slices[i];
    }
    pump_init(&bench->pump, bench->upper_list, bench->upper_count, bench->slice_list,
              bench->slice_count, &bench->map, &bench->backing, 1024);
    bench->pump.reply = keep_reply;
    bench->pump.context = bench;
}

void bench_finish(struct bench *bench)
{
    pump_finish(&bench->pump);
    for (uint32_t i = 0; i < bench->upper_count; i++)
        controller_finish(&bench->uppers[i]);
    for (uint32_t i = 0; i < bench->slice_count; i++)
        controller_finish(&bench->slices[i]);
    backing_finish(&bench->backing);
}

struct message bench_request(struct bench *bench, uint8_t kind, uint64_t offset, unsigned count)
{
    uint64_t addr = bench->buffer + offset;
    struct message message;

    memset(&message, 0, sizeof message);
    message.kind = kind;
    message.addr = addr & ~(uint64_t)(LINE_BYTES - 1);
    message.mask = low_mask(count) << (addr % LINE_BYTES);
    message.requester.entry = bench->next_entry++;
    return message;
}

struct message bench_do(struct bench *bench, uint32_t node, const struct message *request)
{
    bench->reply_count = 0;
    pump_send(&bench->pump, node, request);
    pump_run(&bench->pump);
    check(bench->reply_count == 1, "%u replies to one request", bench->reply_count);
    check(bench->replies[0].kind == request->kind + 1, "a reply of another kind");
    check(bench->replies[0].requester.entry == request->requester.entry, "another's reply");
    return bench->replies[0];
}

uint32_t message_word(const struct message *message, uint64_t offset)
{
    uint32_t word;

    memcpy(&word, message->data + offset % LINE_BYTES, sizeof word);
    return word;
}

void message_set_word(struct message *message, uint64_t offset, uint32_t value)
{
    memcpy(message->data + offset % LINE_BYTES, &value, sizeof value);
}

uint32_t bench_load(struct bench *bench, uint32_t node, uint64_t offset)
{
    struct message request = bench_request(bench, MESSAGE_LOAD, offset, 4);

    request = bench_do(bench, node, &request);
    return message_word(&request, offset);
}

uint32_t bench_load_glc(struct bench *bench, uint32_t node, uint64_t offset)
{
    struct message request = bench_request(bench, MESSAGE_LOAD, offset, 4);

    request.glc = true;
    request = bench_do(bench, node, &request);
    return message_word(&request, offset);
}

void bench_store(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value)
{
    struct message request = bench_request(bench, MESSAGE_STORE, offset, 4);

    message_set_word(&request, offset, value);
    bench_do(bench, node, &request);
}

uint32_t bench_add(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value)
{
    struct message request = bench_request(bench, MESSAGE_ATOMIC, offset, 4);

    request.rmw = RMW_ADD;
    request.word_bytes = 4;
    request.returns = true;
    message_set_word(&request, offset, value);
    request = bench_do(bench, node, &request);
    return message_word(&request, offset);
}

void bench_acquire(struct bench *bench, uint32_t node)
{
    struct message request = bench_request(bench, MESSAGE_INVALIDATE, 0, 0);

    request.addr = 0;
    bench_do(bench, node, &request);
}

void bench_release(struct bench *bench, uint32_t node)
{
    struct message request = bench_request(bench, MESSAGE_FLUSH, 0, 0);

    request.addr = 0;
    bench_do(bench, node, &request);
}

uint32_t bench_host_read(struct bench *bench, uint64_t offset)
{
    uint32_t value;

    pump_host_read(&bench->pump, bench->buffer + offset, &value, sizeof value);
    return value;
}

void bench_host_write(struct bench *bench, uint64_t offset, uint32_t value)
{
    pump_host_write(&bench->pump, bench->buffer + offset, &value, sizeof value);
}

uint32_t bench_peek(const struct bench *bench, uint64_t offset)
{
    uint32_t value;

    memcpy(&value, backing_host(&bench->backing, bench->buffer + offset), sizeof value);
    return value;
}

void bench_poke(struct bench *bench, uint64_t offset, uint32_t value)
{
    memcpy(backing_host(&bench->backing, bench->buffer + offset), &value, sizeof value);
}
