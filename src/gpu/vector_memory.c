/* SPDX-License-Identifier: MIT */
/* The vector memory unit's way out: issue, addresses, accesses. */
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

#include <stdlib.h>
#include <string.h>

/* ---- issue ---- */

static bool is_of_whole_cache(const struct isa_memory_request *request)
{
    return request->kind == ISA_MEMORY_INVALIDATE || request->kind == ISA_MEMORY_FLUSH;
}

/* By page, accesses outside are seen when they are coalesced, line by line. */
static bool checks_lanes(const struct vector_memory *vmem, const struct isa_memory_request *request)
{
    return vmem->waves->bounds.is_exact || vmem->waves->bounds.drops ||
           (request->kind == ISA_MEMORY_ATOMIC && request->element_bytes > 4);
}

/* Where transactions isolate global memory, a kernel that has any passes L1 by. What another
 * compute unit has committed, or the system for this one, need not be there. */
static void pass_l1(const struct vmem_entry *entry, struct isa_memory_request *request)
{
    if (!entry->launch->isa->kernel->has_transactions || request->space != ISA_SPACE_GLOBAL ||
        is_of_whole_cache(request))
        return;
    request->glc = request->glc || request->kind == ISA_MEMORY_LOAD;
    if (request->scope < ISA_SCOPE_DEVICE)
        request->scope = ISA_SCOPE_DEVICE;
}

static void begin_request(struct vector_memory *vmem, struct wavefront *wave,
                          struct vmem_entry *entry)
{
    struct isa_memory_request *request = &entry->request;
    uint64_t active = wave->registers->active, pc = wave->registers->pc;

    if (debug_breaks(vmem->waves->breaks, STORE_ALL_LANES) &&
        (wave->next->flags & (ISA_WRITES_MEMORY | ISA_IS_ATOMIC)) == ISA_WRITES_MEMORY)
        wave->registers->active = low_mask(vmem->waves->lanes);
    vmem->waves->isa->begin(wave->registers, wave->next, request);
    wave->registers->active = active;
    if (__builtin_expect(vmem->waves->tm_is_global, 0))
        pass_l1(entry, request);
    if (__builtin_expect(checks_lanes(vmem, request), 0) && !wave->transaction.is_open)
        wavefront_check_bounds(vmem->waves, wave, pc, request);
    if (request->kind == ISA_MEMORY_LOAD && request->element_bytes < 4)
        memset(request->data[0], 0, sizeof request->data[0]); /* replies fill in bytes */
}

static void link_entry(struct vector_memory *vmem, struct wavefront *wave, uint16_t index)
{
    if (vmem->order[wave->slot].first == NO_ENTRY)
        vmem->order[wave->slot].first = index;
    else
        vmem->entries[vmem->order[wave->slot].last].next = index;
    vmem->order[wave->slot].last = index;
}

void vmem_issue(struct vector_memory *vmem, struct wavefront *wave)
{
    uint16_t index = vmem->free_entries[--vmem->free_count];
    struct vmem_entry *entry = &vmem->entries[index];

    entry->instruction = wave->next;
    entry->launch = vmem->waves->groups[wave->group].launch;
    entry->start_at = wavefronts_cycle(vmem->waves) + vmem->parameters->vmem_issue_cycles;
    entry->pc = wave->registers->pc;
    entry->first_sent = NEVER;
    entry->latest_part = NO_PART;
    entry->is_traced = false;
    if (__builtin_expect(entry->launch->trace != NULL, 0))
        memory_trace_choose(vmem, wave, entry);
    entry->sequence = wave->sequence;
    entry->active_at_issue = wavefront_active(vmem->waves, wave);
    entry->slot = wave->slot;
    entry->next = NO_ENTRY;
    entry->parts = entry->outstanding = 0;
    entry->all_sent = entry->is_complete = false;
    entry->counts_exp = entry->wants_data = (wave->next->flags & ISA_COUNTS_EXP) != 0;
    begin_request(vmem, wave, entry);
    if (!request_returns(&entry->request))
        wavefront_trace(vmem->waves, wave, wave->sequence, wave->next);
    link_entry(vmem, wave, index);
    index_ring_put(&vmem->queue, index, entry->start_at);
    vmem_count_occupancy(vmem);
}

/* ---- addresses ---- */

static uint64_t load_cycles(const struct vector_memory *vmem,
                            const struct isa_memory_request *request, unsigned quarter)
{
    const struct vector_memory_parameters *parameters = vmem->parameters;
    bool is_linear = quarter_is_linear(request, quarter);

    switch (request->element_bytes) {
    case 8:
        return parameters->load_x2_cycles;
    case 12: /* clang emits none for GCN 1 */
    case 16:
        return is_linear ? parameters->load_x4_linear_cycles : parameters->load_x4_cycles;
    default:
        return is_linear ? parameters->load_linear_cycles : parameters->load_cycles;
    }
}

/* Cycles of address processing as if 64 lanes' quarters were all like this one. */
static uint64_t wave_cycles(const struct vector_memory *vmem,
                            const struct isa_memory_request *request, unsigned quarter)
{
    const struct vector_memory_parameters *parameters = vmem->parameters;

    if ((request->lanes >> (quarter * QUARTER_LANES) & low_mask(QUARTER_LANES)) == 0)
        return parameters->load_linear_cycles;
    switch (request->kind) {
    case ISA_MEMORY_STORE:
        return parameters->store_cycles;
    case ISA_MEMORY_ATOMIC:
        return rmw_has_compare(request->rmw) ? parameters->compare_swap_cycles
                                             : parameters->atomic_cycles;
    default:
        return load_cycles(vmem, request, quarter);
    }
}

/* A run may be sent when the addresses before it are done. */
static void schedule_runs(struct vector_memory *vmem, const struct isa_memory_request *request,
                          uint64_t now)
{
    uint64_t quarter_cycles = 0;
    uint32_t quarters = vmem->waves->lanes / QUARTER_LANES, of_run = quarters / vmem->runs;

    for (uint32_t i = 0; i < quarters; i++) {
        if (i % of_run == 0)
            vmem->run_at[i / of_run] = now + quarter_cycles / 4;
        quarter_cycles += wave_cycles(vmem, request, i);
    }
    vmem->run_at[vmem->runs] = now + (quarter_cycles + 3) / 4;
}

static bool in_transaction(const struct vector_memory *vmem, const struct vmem_entry *entry)
{
    return vmem->waves->tm != NULL && entry->slot != NO_SLOT &&
           vmem->waves->list[entry->slot].transaction.is_open;
}

static void saw_access(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    const struct wavefront *wave = entry->slot == NO_SLOT ? NULL : &vmem->waves->list[entry->slot];

    transactions_saw_access(vmem->waves->tm, entry->launch, wave, vmem_index(vmem, entry),
                            entry->pc, &entry->request);
}

/* In a transaction: lanes that would fault may abort instead, and the systems see the access. */
static void serve_in_transaction(struct vector_memory *vmem, struct vmem_entry *entry)
{
    struct wavefront *wave = &vmem->waves->list[entry->slot];
    uint64_t outside = bounds_outside(&vmem->waves->bounds, &entry->request);
    uint64_t aborted = outside & ~transactions_faults(vmem->waves->tm, wave, outside);
    struct tm_charge banks = {0};

    bounds_drop(&entry->request, aborted);
    if (checks_lanes(vmem, &entry->request))
        wavefront_check_bounds(vmem->waves, wave, entry->pc, &entry->request);
    if (transactions_watch_global(vmem->waves->tm))
        saw_access(vmem, entry);
    banks.bank_cycles = transactions_serve(vmem->waves->tm, wave, entry->pc, &entry->request);
    transactions_charge(vmem->waves->tm, wave, &banks);
    if (entry->request.keeps) {
        wave->unawaited++;
        wavefront_released(vmem->waves, wave);
    }
}

static bool may_start(const struct vector_memory *vmem, uint64_t now)
{
    return index_ring_time(&vmem->queue) <= now && vmem->free_at <= now;
}

static bool start_next(struct vector_memory *vmem, uint64_t now)
{
    const struct isa_memory_request *request;
    uint64_t start;

    if (!may_start(vmem, now))
        return false;
    vmem->current = index_ring_take(&vmem->queue);
    vmem_read_store_data(vmem, &vmem->entries[vmem->current]);
    if (__builtin_expect(in_transaction(vmem, &vmem->entries[vmem->current]), 0))
        serve_in_transaction(vmem, &vmem->entries[vmem->current]);
    else if (__builtin_expect(vmem->waves->tm_is_global, 0) &&
             transactions_watch_global(vmem->waves->tm))
        saw_access(vmem, &vmem->entries[vmem->current]);
    request = &vmem->entries[vmem->current].request;
    start = vmem->free_at > now ? vmem->free_at : now; /* later: a system has charged cycles */
    vmem->started_at = vmem->entries[vmem->current].started_at = now;
    vmem->blocked_cycles = 0;
    vmem->position = 0;
    vmem->list.count = 0;
    vmem->run = 0;
    if (is_of_whole_cache(request)) {
        vmem->run = vmem->runs;
        vmem->run_at[vmem->runs] = start + 1;
        vmem->list.count = 1;
        vmem->list.accesses[0] = (struct access){0};
    } else {
        schedule_runs(vmem, request, start);
    }
    return true;
}

static void report_unmapped(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    struct fault fault = wavefront_fault_here(
        vmem->waves, &vmem->waves->list[entry->slot == NO_SLOT ? 0 : entry->slot], FAULT_UNMAPPED);

    fault.pc = entry->pc;
    fault.launch = entry->launch;
    bounds_describe(&entry->request, bounds_outside(&vmem->waves->bounds, &entry->request),
                    FAULT_UNMAPPED, &fault);
    wavefront_fault(vmem->waves, &fault);
}

/* Coalesces the next run when its time has come. */
static bool next_run(struct vector_memory *vmem, uint64_t now)
{
    struct vmem_entry *entry = &vmem->entries[vmem->current];
    enum backing_access access;

    if (now < vmem->run_at[vmem->run])
        return false;
    coalescer_add(&entry->request, vmem_run_lanes(vmem, vmem->run), &vmem->list);
    vmem->run++;
    vmem->position = 0;
    access = bounds_access(&entry->request);
    for (uint32_t i = 0; i < vmem->list.count; i++) {
        if (backing_allows(vmem->waves->bounds.backing, vmem->list.accesses[i].line, LINE_BYTES,
                           access))
            continue;
        report_unmapped(vmem, entry);
        return false;
    }
    return true;
}

/* The column of loads, or that of stores or atomics which stands as far behind `loads`. */
static void profile_count(const struct vector_memory *vmem, const struct vmem_entry *entry,
                          enum profile_column loads, uint64_t count)
{
    static const uint8_t places[] = {[ISA_MEMORY_LOAD] = 0,
                                     [ISA_MEMORY_STORE] = PROFILE_STORE_LANES - PROFILE_LOAD_LANES,
                                     [ISA_MEMORY_ATOMIC] =
                                         PROFILE_ATOMIC_LANES - PROFILE_LOAD_LANES};

    if (vmem->waves->profile != NULL && entry->request.kind < ARRAY_COUNT(places))
        profile_row(vmem->waves->profile, entry->pc)[loads + places[entry->request.kind]] += count;
}

static void count_access(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    const struct isa_memory_request *request = &entry->request;
    struct vector_memory_statistics *statistics = vmem->statistics;

    statistics->load_accesses += request->kind == ISA_MEMORY_LOAD;
    statistics->store_accesses += request->kind == ISA_MEMORY_STORE;
    statistics->atomic_accesses += request->kind == ISA_MEMORY_ATOMIC;
    profile_count(vmem, entry, PROFILE_LOAD_ACCESSES, 1);
}

static const uint8_t message_kinds[] = {
    [ISA_MEMORY_LOAD] = MESSAGE_LOAD,     [ISA_MEMORY_STORE] = MESSAGE_STORE,
    [ISA_MEMORY_ATOMIC] = MESSAGE_ATOMIC, [ISA_MEMORY_INVALIDATE] = MESSAGE_INVALIDATE,
    [ISA_MEMORY_FLUSH] = MESSAGE_FLUSH,
};

static void fill_message(const struct vector_memory *vmem, const struct vmem_entry *entry,
                         struct message *message)
{
    const struct isa_memory_request *request = &entry->request;
    struct journey *journey = vmem_journey(vmem, entry, entry->parts);

    memset(message, 0, sizeof *message);
    message->kind = message_kinds[request->kind];
    message->glc = request->glc;
    message->slc = request->slc;
    message->remote = request->remote;
    message->rmw = request->keeps ? MESSAGE_KEEPS : 0;
    message->scope = request->scope;
    message->order = request->order;
    journey_begin(journey, entry->started_at);
    journey_until(journey, PART_ADDRESS,
                  wavefronts_cycle(vmem->waves) + vmem->parameters->vmem_request_cycles -
                      vmem->blocked_cycles);
    message_set_journey(message, journey);
    message->requester =
        (struct message_requester){vmem->waves->number, entry->slot, vmem->current, entry->parts};
}

static void send_access(struct vector_memory *vmem)
{
    struct vmem_entry *entry = &vmem->entries[vmem->current];
    const struct access *access = &vmem->list.accesses[vmem->position++];
    struct message *message =
        port_reserve(vmem->requests, (uint32_t)vmem->parameters->vmem_request_cycles);

    if (vmem->blocked_since != NEVER) {
        vmem->blocked_cycles += wavefronts_cycle(vmem->waves) - vmem->blocked_since;
        vmem->statistics->l1_full_cycles += wavefronts_cycle(vmem->waves) - vmem->blocked_since;
    }
    vmem->blocked_since = NEVER;
    entry->part[entry->parts].journey = vmem->free_journeys[--vmem->free_journey_count];
    fill_message(vmem, entry, message);
    if (!is_of_whole_cache(&entry->request))
        access_to_message(&entry->request, access, message);
    if (__builtin_expect(vmem->shadow != NULL, 0))
        check_release_sent(vmem, message);
    entry->part[entry->parts].lanes = access->lanes;
    entry->parts++;
    entry->outstanding++;
    if (entry->first_sent == NEVER)
        entry->first_sent = wavefronts_cycle(vmem->waves);
    count_access(vmem, entry);
    vmem->waves->has_progress = true;
}

static void count_instruction(struct vector_memory *vmem, const struct vmem_entry *entry)
{
    struct vector_memory_statistics *statistics = vmem->statistics;
    unsigned lanes = count_bits(entry->request.lanes);

    statistics->address_cycles += vmem->free_at - vmem->started_at;
    if (entry->request.kind == ISA_MEMORY_LOAD)
        statistics->load_lanes += lanes;
    else if (entry->request.kind == ISA_MEMORY_STORE)
        statistics->store_lanes += lanes;
    else if (entry->request.kind == ISA_MEMORY_ATOMIC)
        statistics->atomic_lanes += lanes;
    profile_count(vmem, entry, PROFILE_LOAD_LANES, lanes);
}

/* The last access was sent: its registers may be overwritten, and the next instruction may come. */
static void end_current(struct vector_memory *vmem, uint64_t now)
{
    uint16_t index = vmem->current;
    struct vmem_entry *entry = &vmem->entries[index];

    if (vmem->free_at < vmem->run_at[vmem->runs])
        vmem->free_at = vmem->run_at[vmem->runs];
    vmem->free_at = vmem->free_at > now ? vmem->free_at : now + 1;
    vmem->current = NO_ENTRY;
    entry->all_sent = true;
    count_instruction(vmem, entry);
    if (entry->counts_exp && entry->slot != NO_SLOT) {
        wavefront_data_read(vmem->waves, &vmem->waves->list[entry->slot]);
    }
    if (entry->outstanding == 0)
        vmem_complete(vmem, index);
    vmem->waves->has_progress = true;
}

static bool has_room(struct vector_memory *vmem)
{
    vmem->is_blocked = !port_has_room(vmem->requests, 1);
    if (vmem->is_blocked && vmem->blocked_since == NEVER)
        vmem->blocked_since = wavefronts_cycle(vmem->waves);
    return !vmem->is_blocked;
}

NOT_INLINE static uint64_t send_accesses(struct vector_memory *vmem)
{
    uint64_t now = wavefronts_cycle(vmem->waves),
             budget = vmem->parameters->vmem_requests_per_cycle;

    while (vmem->current != NO_ENTRY || start_next(vmem, now)) {
        if (vmem->position == vmem->list.count) {
            if (vmem->run == vmem->runs)
                end_current(vmem, now);
            else if (!next_run(vmem, now))
                break;
            continue;
        }
        if (budget == 0 || !has_room(vmem))
            break;
        send_access(vmem);
        budget--;
    }
    return budget;
}

uint64_t vmem_send(struct vector_memory *vmem)
{
    vmem->is_blocked = false;
    if (vmem->current == NO_ENTRY && !may_start(vmem, wavefronts_cycle(vmem->waves)))
        return vmem->parameters->vmem_requests_per_cycle;
    return send_accesses(vmem);
}

uint64_t vmem_next(const struct vector_memory *vmem)
{
    uint64_t returns = index_ring_time(&vmem->returns), next;

    if (vmem->current == NO_ENTRY) {
        next = index_ring_time(&vmem->queue);
        if (next != NEVER && next < vmem->free_at)
            next = vmem->free_at;
    } else if (vmem->is_blocked) {
        next = NEVER; /* the port wakes us */
    } else if (vmem->position < vmem->list.count || vmem->run == vmem->runs) {
        next = wavefronts_cycle(vmem->waves) + 1;
    } else {
        next = vmem->run_at[vmem->run];
    }
    return next < returns ? next : returns;
}
