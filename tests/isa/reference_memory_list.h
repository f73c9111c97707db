/* SPDX-License-Identifier: MIT */
/* The texts of the memory cases; a part of reference_memory_cases.c, which is long enough. */

static struct memory_op *new_memory_op(struct harness_case *this)
{
    check(memory_op_count < MEMORY_OPS, "more memory cases than room for them");
    this->extra = memory_op_count;
    this->run = run_memory;
    return &memory_ops[memory_op_count++];
}

/* Room for the name of a run of registers. */
enum { REGISTERS_TEXT = 32 };

static const char *registers(char *text, char file, unsigned first, unsigned bytes)
{
    if (bytes <= 4)
        snprintf(text, REGISTERS_TEXT, "%c%u", file, first);
    else
        snprintf(text, REGISTERS_TEXT, "%c[%u:%u]", file, first, first + bytes / 4 - 1);
    return text;
}

/* LDS loads and stores: name, bytes, elements, distance of offsets in elements. */
struct lds_access {
    const char *name;
    enum isa_memory_kind kind;
    unsigned bytes, elements, scale;
    bool is_signed;
};

static const struct lds_access lds_accesses[] = {
    {"ds_read_b32", ISA_MEMORY_LOAD, 4, 1, 0, false},
    {"ds_read_b64", ISA_MEMORY_LOAD, 8, 1, 0, false},
    {"ds_read_u8", ISA_MEMORY_LOAD, 1, 1, 0, false},
    {"ds_read_i8", ISA_MEMORY_LOAD, 1, 1, 0, true},
    {"ds_read_u16", ISA_MEMORY_LOAD, 2, 1, 0, false},
    {"ds_read_i16", ISA_MEMORY_LOAD, 2, 1, 0, true},
    {"ds_read2_b32", ISA_MEMORY_LOAD, 4, 2, 1, false},
    {"ds_read2_b64", ISA_MEMORY_LOAD, 8, 2, 1, false},
    {"ds_read2st64_b32", ISA_MEMORY_LOAD, 4, 2, 64, false},
    {"ds_read2st64_b64", ISA_MEMORY_LOAD, 8, 2, 64, false},
    {"ds_write_b8", ISA_MEMORY_STORE, 1, 1, 0, false},
    {"ds_write_b16", ISA_MEMORY_STORE, 2, 1, 0, false},
    {"ds_write_b32", ISA_MEMORY_STORE, 4, 1, 0, false},
    {"ds_write_b64", ISA_MEMORY_STORE, 8, 1, 0, false},
    {"ds_write2_b32", ISA_MEMORY_STORE, 4, 2, 1, false},
    {"ds_write2_b64", ISA_MEMORY_STORE, 8, 2, 1, false},
    {"ds_write2st64_b32", ISA_MEMORY_STORE, 4, 2, 64, false},
    {"ds_write2st64_b64", ISA_MEMORY_STORE, 8, 2, 64, false},
};

static void add_lds_access(struct harness *harness, const struct lds_access *access, bool offset)
{
    char result[REGISTERS_TEXT], data[REGISTERS_TEXT], second[REGISTERS_TEXT], offsets[40] = "";
    unsigned offset0 = offset ? 3 : 0, offset1 = offset ? 11 : 5;
    bool load = access->kind == ISA_MEMORY_LOAD;

    registers(result, 'v', RESULT_REGISTER, access->bytes * access->elements);
    registers(data, 'v', DATA_REGISTER, access->bytes);
    registers(second, 'v', SECOND_REGISTER, access->bytes);
    if (access->elements == 2)
        snprintf(offsets, sizeof offsets, " offset0:%u offset1:%u", offset0, offset1);
    else if (offset)
        snprintf(offsets, sizeof offsets, " offset:%u", 256 + 16);
    struct harness_case *this =
        load ? harness_add(harness, "%s %s, v4%s", access->name, result, offsets)
             : harness_add(harness, "%s v4, %s%s%s%s", access->name, data,
                           access->elements == 2 ? ", " : "", access->elements == 2 ? second : "",
                           offsets);
    *new_memory_op(this) = (struct memory_op){
        .space = SPACE_LDS,
        .kind = access->kind,
        .bytes = access->bytes,
        .is_signed = access->is_signed,
        .offset = access->elements == 2 ? offset0 * access->bytes * access->scale
                                        : (offset ? 256 + 16 : 0),
        .second = access->elements == 2 ? (offset1 - offset0) * access->bytes * access->scale : 0,
    };
}

/* LDS atomics: name in the instruction, type letter, name of the reference, operands. */
static const struct {
    const char *name;
    char type;
    const char *atomic;
    unsigned operands;
    bool only_returning;
} lds_atomics[] = {
    {"add", 'u', "add", 1, false},      {"sub", 'u', "sub", 1, false},
    {"rsub", 'u', "rsub", 1, false},    {"inc", 'u', "inc", 1, false},
    {"dec", 'u', "dec", 1, false},      {"min", 'i', "smin", 1, false},
    {"max", 'i', "smax", 1, false},     {"min", 'u', "umin", 1, false},
    {"max", 'u', "umax", 1, false},     {"and", 'b', "and", 1, false},
    {"or", 'b', "or", 1, false},        {"xor", 'b', "xor", 1, false},
    {"mskor", 'b', "mskor", 2, false},  {"cmpst", 'b', "cmpst", 2, false},
    {"cmpst", 'f', "fcmpst", 2, false}, {"min", 'f', "fmin", 1, false},
    {"max", 'f', "fmax", 1, false},     {"wrxchg", 'b', "wrxchg", 1, true},
};

static void add_lds_atomics(struct harness *harness, unsigned bytes, bool returns)
{
    for (size_t i = 0; i < sizeof lds_atomics / sizeof lds_atomics[0]; i++) {
        char result[REGISTERS_TEXT], data[REGISTERS_TEXT], second[REGISTERS_TEXT];

        if (lds_atomics[i].only_returning && !returns)
            continue;
        registers(result, 'v', RESULT_REGISTER, bytes);
        registers(data, 'v', DATA_REGISTER, bytes);
        registers(second, 'v', SECOND_REGISTER, bytes);
        struct harness_case *this = harness_add(
            harness, "ds_%s%s_%c%u %s%sv4, %s%s%s offset:%u", lds_atomics[i].name,
            returns ? "_rtn" : "", lds_atomics[i].type, 8 * bytes, returns ? result : "",
            returns ? ", " : "", data, lds_atomics[i].operands == 2 ? ", " : "",
            lds_atomics[i].operands == 2 ? second : "", 64u);
        struct memory_op *op = new_memory_op(this);

        *op = (struct memory_op){.space = SPACE_LDS,
                                 .kind = ISA_MEMORY_ATOMIC,
                                 .bytes = bytes,
                                 .offset = 64,
                                 .returns = returns};
        snprintf(op->atomic, sizeof op->atomic, "%s", lds_atomics[i].atomic);
    }
}

static const struct {
    const char *name;
    enum isa_memory_kind kind;
    unsigned bytes;
    bool is_signed;
} buffer_accesses[] = {
    {"buffer_load_ubyte", ISA_MEMORY_LOAD, 1, false},
    {"buffer_load_sbyte", ISA_MEMORY_LOAD, 1, true},
    {"buffer_load_ushort", ISA_MEMORY_LOAD, 2, false},
    {"buffer_load_sshort", ISA_MEMORY_LOAD, 2, true},
    {"buffer_load_dword", ISA_MEMORY_LOAD, 4, false},
    {"buffer_load_dwordx2", ISA_MEMORY_LOAD, 8, false},
    {"buffer_load_dwordx4", ISA_MEMORY_LOAD, 16, false},
    {"buffer_store_byte", ISA_MEMORY_STORE, 1, false},
    {"buffer_store_short", ISA_MEMORY_STORE, 2, false},
    {"buffer_store_dword", ISA_MEMORY_STORE, 4, false},
    {"buffer_store_dwordx2", ISA_MEMORY_STORE, 8, false},
    {"buffer_store_dwordx4", ISA_MEMORY_STORE, 16, false},
};

static const char *const buffer_atomics[] = {
    "swap", "cmpswap", "add", "rsub", "sub", "smin", "umin",     "smax", "umax",
    "and",  "or",      "xor", "inc",  "dec", "fmin", "fcmpswap", "fmax",
};

static struct memory_op *add_buffer(struct harness *harness, const char *name, unsigned data_bytes,
                                    enum memory_mode mode, const char *suffix)
{
    static const char *const addresses[] = {"off", "v[4:5]", "v4", "v4", "v[4:5]", "v4", "v4"};
    static const char *const flags[] = {"",       " addr64", " offen", " idxen", " idxen offen",
                                        " offen", " offen"};
    bool scalar_offset = mode != MODE_BOUNDED;
    char data[REGISTERS_TEXT];
    struct harness_case *this =
        harness_add(harness, "%s %s, %s, s[8:11], %s%s offset:%u%s", name,
                    registers(data, 'v', RESULT_REGISTER, data_bytes), addresses[mode],
                    scalar_offset ? "s16" : "0", flags[mode], 32u, suffix);
    struct memory_op *op = new_memory_op(this);

    *op = (struct memory_op){
        .space = SPACE_BUFFER, .mode = mode, .offset = 32, .register_offset = scalar_offset};
    return op;
}

static void add_buffer_cases(struct harness *harness)
{
    for (size_t i = 0; i < sizeof buffer_accesses / sizeof buffer_accesses[0]; i++) {
        for (unsigned mode = 0; mode < MODE_COUNT; mode++) {
            if (mode == MODE_SCRATCH && buffer_accesses[i].bytes > 4)
                continue;
            if (mode == MODE_OFF && buffer_accesses[i].kind == ISA_MEMORY_STORE)
                continue; /* all lanes to one place: which one wins is not defined */
            struct memory_op *op =
                add_buffer(harness, buffer_accesses[i].name, buffer_accesses[i].bytes, mode, "");

            op->kind = buffer_accesses[i].kind;
            op->bytes = buffer_accesses[i].bytes;
            op->is_signed = buffer_accesses[i].is_signed;
        }
    }
    for (size_t i = 0; i < sizeof buffer_atomics / sizeof buffer_atomics[0]; i++) {
        for (unsigned variant = 0; variant < 4; variant++) {
            unsigned bytes = variant & 1 ? 8 : 4;
            bool compares = strstr(buffer_atomics[i], "cmpswap") != NULL;
            char name[40];

            snprintf(name, sizeof name, "buffer_atomic_%s%s", buffer_atomics[i],
                     bytes == 8 ? "_x2" : "");
            struct memory_op *op =
                add_buffer(harness, name, compares ? 2 * bytes : bytes,
                           variant & 2 ? MODE_ADDR64 : MODE_OFFEN, variant & 2 ? " glc" : "");

            op->kind = ISA_MEMORY_ATOMIC;
            op->bytes = bytes;
            op->returns = variant & 2;
            snprintf(op->atomic, sizeof op->atomic, "%s", buffer_atomics[i]);
        }
    }
}

static void add_scalar_loads(struct harness *harness)
{
    for (unsigned bytes = 4; bytes <= 64; bytes *= 2) {
        for (unsigned variant = 0; variant < 4; variant++) {
            char size[16] = "", destination[REGISTERS_TEXT];
            bool buffer = variant & 1, register_offset = variant & 2;

            if (bytes > 4)
                snprintf(size, sizeof size, "x%u", bytes / 4);
            struct harness_case *this =
                harness_add(harness, "s_%sload_dword%s %s, %s, %s", buffer ? "buffer_" : "", size,
                            registers(destination, 's', 12, bytes), buffer ? "s[8:11]" : "s[4:5]",
                            register_offset ? "s16" : "0x21");

            *new_memory_op(this) = (struct memory_op){.space = SPACE_SCALAR,
                                                      .kind = ISA_MEMORY_SCALAR_LOAD,
                                                      .bytes = bytes,
                                                      .offset = 0x21 * 4,
                                                      .register_offset = register_offset};
        }
    }
}

/* buffer_wbinvl1 asks for an invalidation and touches nothing. */
static bool run_invalidate(struct harness *harness, const struct harness_case *this)
{
    static struct isa_memory_request request;
    bool ok = true;

    harness_fill(harness, this);
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        *harness->expected = *harness->after = *harness->start;
        harness->expected->base.pc += this->decoded[variant]->bytes;
        memset(&request, 0xa5, sizeof request);
        harness->isa[variant]->begin(&harness->after->base, this->decoded[variant], &request);
        ok = harness_compare(harness, this, variant);
        if (request.kind != ISA_MEMORY_INVALIDATE || request.lanes != 0)
            harness_fail(harness, this, "kind %u, lanes %llx", request.kind,
                         (unsigned long long)request.lanes);
    }
    return ok;
}

void add_memory_cases(struct harness *harness)
{
    for (size_t i = 0; i < sizeof lds_accesses / sizeof lds_accesses[0]; i++) {
        add_lds_access(harness, &lds_accesses[i], false);
        add_lds_access(harness, &lds_accesses[i], true);
    }
    for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
        add_lds_atomics(harness, bytes, false);
        add_lds_atomics(harness, bytes, true);
    }
    add_buffer_cases(harness);
    add_scalar_loads(harness);
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned patterns[] = {0x80b1, 0x041f, 0x7c33};
        struct harness_case *this =
            harness_add(harness, "ds_swizzle_b32 v24, v4 offset:%u", patterns[i]);

        this->extra = patterns[i];
        this->run = run_swizzle;
    }
    harness_add(harness, "buffer_wbinvl1")->run = run_invalidate;
    harness_add(harness, "buffer_wbinvl1_sc")->run = run_invalidate;
}
