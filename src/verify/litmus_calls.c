/* SPDX-License-Identifier: MIT */
/* Atomics by the names of OpenCL C, and herd's remote ones. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "verify/litmus_reader.h"

struct function {
    const char *name;
    uint8_t kind, operands;
};

static const struct function functions[] = {
    {"atomic_load", LITMUS_LOAD, 0},
    {"atomic_store", LITMUS_STORE, 1},
    {"atomic_exchange", LITMUS_EXCHANGE, 1},
    {"atomic_fetch_add", LITMUS_ADD, 1},
    {"atomic_compare_exchange_strong", LITMUS_CAS, 2},
};

struct called {
    const struct function *function;
    bool is_remote, is_explicit;
};

/* `name` without `end`; false: it does not end so. */
static bool cut_end(char *name, const char *end)
{
    size_t length = strlen(name), cut = strlen(end);

    if (length <= cut || strcmp(name + length - cut, end) != 0)
        return false;
    name[length - cut] = '\0';
    return true;
}

static bool find_function(struct reader *reader, struct called *called)
{
    char name[TOKEN_CHARS];

    snprintf(name, sizeof name, "%s", reader->token.text);
    called->is_remote = cut_end(name, "_remote");
    called->is_explicit = cut_end(name, "_explicit");
    for (unsigned i = 0; i < ARRAY_COUNT(functions); i++)
        if (strcmp(name, functions[i].name) == 0) {
            called->function = &functions[i];
            break;
        }
    if (called->function == NULL)
        return reader_refuse(reader, "the function '%s' is not known here", reader->token.text);
    if (!called->is_explicit)
        return reader_refuse(reader,
                             "'%s' is sequentially consistent, which is not here: _explicit forms "
                             "say an order",
                             reader->token.text);
    return true;
}

static bool read_order(struct reader *reader, uint8_t *order)
{
    static const char *const names[] = {"memory_order_relaxed", "memory_order_acquire",
                                        "memory_order_release", "memory_order_acq_rel"};
    static const char *const shorts[] = {"mo_rlx", "mo_acq", "mo_rel", "mo_ar"};

    for (unsigned i = 0; i < ARRAY_COUNT(names); i++)
        if (reader_sees(reader, names[i]) || reader_sees(reader, shorts[i])) {
            *order = (uint8_t)i;
            reader_advance(reader);
            return true;
        }
    return reader_refuse(reader, "the order '%s' is not here", reader->token.text);
}

static bool read_scope(struct reader *reader, struct litmus_operation *operation)
{
    bool is_remote = operation->reach == REACH_REMOTE;

    if (reader_sees(reader, "memory_scope_work_group") || reader_sees(reader, "s_wg")) {
        if (is_remote)
            return reader_refuse(reader,
                                 "a remote operation of the work-group's scope is not here");
        operation->reach = REACH_GROUP;
    } else if (reader_sees(reader, "memory_scope_all_svm_devices") ||
               reader_sees(reader, "s_all")) {
        operation->reaches_all = true;
    } else if (!reader_sees(reader, "memory_scope_device") && !reader_sees(reader, "s_dev")) {
        return reader_refuse(reader, "the scope '%s' is not here", reader->token.text);
    }
    reader_advance(reader);
    return true;
}

/* The orders and the scope that end a call. */
static bool read_orders(struct reader *reader, struct litmus_operation *operation)
{
    static const uint8_t allowed[] = {
        [LITMUS_LOAD] = ORDER_ACQUIRE, [LITMUS_STORE] = ORDER_RELEASE};
    uint8_t failure = ORDER_RELAXED;

    if (!reader_expect(reader, ",") || !read_order(reader, &operation->order))
        return false;
    if (operation->kind <= LITMUS_STORE && (operation->order & ~allowed[operation->kind]) != 0)
        return reader_refuse(reader, operation->kind == LITMUS_LOAD
                                         ? "a load is relaxed or an acquire"
                                         : "a store is relaxed or a release");
    if (operation->kind == LITMUS_CAS) {
        if (!reader_expect(reader, ",") || !read_order(reader, &failure))
            return false;
        if ((failure & ~(operation->order & ORDER_ACQUIRE)) != 0)
            return reader_refuse(reader, "its order where it fails is stronger than its order, or "
                                         "a release");
        operation->fails_relaxed = failure != operation->order && failure == ORDER_RELAXED;
    }
    return !reader_takes(reader, ",") || read_scope(reader, operation);
}

/* The variable that is accessed, by a pointer of its name. */
static bool read_object(struct reader *reader, uint8_t *number)
{
    char name[LITMUS_NAME];
    struct variable *variable;

    if (!reader_name(reader, name, sizeof name, "a variable"))
        return false;
    variable = reader_variable(reader, name);
    if (variable == NULL || !variable->is_declared)
        return reader_refuse(reader, "'%s' is no variable of the test", name);
    variable->is_accessed = true;
    *number = (uint8_t)(variable - reader->variables);
    return true;
}

static bool set_operand(struct reader *reader, uint8_t *value, struct reader_sum sum)
{
    if (sum.number < 0 || sum.number > READER_VALUE_MAX)
        return reader_refuse(reader, "%d: values in memory are from 0 to %d", sum.number,
                             READER_VALUE_MAX);
    *value = (uint8_t)sum.number;
    return true;
}

/* What a compare-and-swap expects: the variable is read before, by an access of its own. */
static bool read_expected(struct reader *reader, struct litmus_operation *operation)
{
    struct litmus_operation *load;
    char hidden[LITMUS_NAME];

    snprintf(hidden, sizeof hidden, "$%u", reader->hidden++);
    load = reader_emit(reader, LITMUS_LOAD);
    if (load == NULL || !read_object(reader, &load->line))
        return false;
    load->into = reader_add_register(reader, hidden);
    operation->expected_from = load->into;
    return !reader->has_failed;
}

void reader_call(struct reader *reader, uint8_t into)
{
    struct called called = {NULL, false, false};
    struct litmus_operation operation = {0}, *emitted;
    struct reader_sum sum = {0, 0};

    if (!find_function(reader, &called))
        return;
    operation.kind = called.function->kind;
    operation.reach = called.is_remote ? REACH_REMOTE : REACH_DEVICE;
    operation.into = into;
    reader_advance(reader);
    if (!reader_expect(reader, "(") || !read_object(reader, &operation.line))
        return;
    if (operation.kind == LITMUS_CAS &&
        (!reader_expect(reader, ",") || !read_expected(reader, &operation)))
        return;
    if (operation.kind != LITMUS_LOAD) {
        if (!reader_expect(reader, ","))
            return;
        sum = reader_expression(reader);
        reader->variables[operation.line].is_written = true;
    }
    operation.from = sum.from;
    if (!set_operand(reader, &operation.value, sum) || !read_orders(reader, &operation) ||
        !reader_expect(reader, ")"))
        return;
    emitted = reader_emit(reader, operation.kind);
    if (emitted != NULL)
        *emitted = operation;
}
