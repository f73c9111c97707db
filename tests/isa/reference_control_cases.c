/* SPDX-License-Identifier: MIT */
/*
 * Cases with an expectation of their own: branches, what the scheduler reads of an instruction,
 * moves between lanes and scalars. Also moves with an index in M0, and the MODE register.
 */
#include <stdio.h>
#include <string.h>

#include "reference_cases.h"

struct control_case {
    const char *text;
    void (*expect)(struct harness *harness, const struct harness_case *this);
};

#define START (harness->start)
#define EXPECTED (harness->expected)

static void jump(struct harness *harness, const struct harness_case *this, bool taken, int words)
{
    if (taken)
        EXPECTED->base.pc = this->pc + 4 + (uint64_t)(int64_t)(4 * words);
}

static bool vcc_is_zero(const struct gcn_wave *wave)
{
    return wave->scalar[GCN_VCC] == 0 && wave->scalar[GCN_VCC + 1] == 0;
}

static bool exec_is_zero(const struct gcn_wave *wave)
{
    return wave->scalar[GCN_EXEC] == 0 && wave->scalar[GCN_EXEC + 1] == 0;
}

static void branch(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, true, -9);
}

static void branch_scc0(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, START->scc == 0, 100);
}

static void branch_scc1(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, START->scc == 1, -100);
}

static void branch_vccz(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, vcc_is_zero(START), 1);
}

static void branch_vccnz(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, !vcc_is_zero(START), 32767);
}

static void branch_execz(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, exec_is_zero(START), -32768);
}

static void branch_execnz(struct harness *harness, const struct harness_case *this)
{
    jump(harness, this, !exec_is_zero(START), 0);
}

static void want(struct harness *harness, const struct harness_case *this, const char *what,
                 unsigned got, unsigned wanted)
{
    if (got != wanted)
        harness_fail(harness, this, "%s is %u, expected %u", what, got, wanted);
}

static void nothing(struct harness *harness, const struct harness_case *this) {}

static void nop(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_NOP);
    want(harness, this, "argument", this->decoded[0]->argument, 3);
}

static void hint(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_HINT);
    want(harness, this, "hint", this->decoded[0]->hint, 0x5a12);
    if (!exec_is_zero(START))
        EXPECTED->access_hint = 0x5a12;
}

static void acquire_hint(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_HINT);
    EXPECTED->acquire_hint = 0x5a93;
}

static void wait(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_WAIT);
    want(harness, this, "vm", this->decoded[0]->wait_vm, 3);
    want(harness, this, "exp", this->decoded[0]->wait_exp, 2);
    want(harness, this, "lgkm", this->decoded[0]->wait_lgkm, 1);
}

/* What a counter holds at most: 15, 7 and 15; waiting for that is no waiting. */
static void wait_lgkm_only(struct harness *harness, const struct harness_case *this)
{
    if (this->decoded[0]->wait_vm < 15 || this->decoded[0]->wait_exp < 7)
        harness_fail(harness, this, "waits for more than LGKM_CNT");
    want(harness, this, "lgkm", this->decoded[0]->wait_lgkm, 0);
}

static void barrier(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_BARRIER);
}

static void end(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_END);
    EXPECTED->base.ended = true;
    EXPECTED->base.pc = harness->after->base.pc;
}

static void nap(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_SLEEP);
    want(harness, this, "argument", this->decoded[0]->argument, 5);
}

static void priority(struct harness *harness, const struct harness_case *this)
{
    want(harness, this, "control", this->decoded[0]->control, ISA_CONTROL_PRIORITY);
    want(harness, this, "argument", this->decoded[0]->argument, 2);
}

/* Lanes and scalars. These ignore EXEC. */
static void readlane_register(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[12] = START->vector[4][START->scalar[8] & 63];
}

static void readlane_constant(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[12] = START->vector[4][37];
}

static void readlane_vcc(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[GCN_VCC + 1] = START->vector[4][START->scalar[GCN_M0] & 63];
}

static void writelane_register(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->vector[4][29] = START->scalar[8];
}

static void writelane_constant(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->vector[4][START->scalar[GCN_M0] & 63] = 0xfffffff5;
}

static void readfirstlane(struct harness *harness, const struct harness_case *this)
{
    unsigned lane = 0;

    for (unsigned i = GCN_LANES; i-- > 0;) {
        if ((START->base.active >> i) & 1)
            lane = i;
    }
    EXPECTED->scalar[12] = START->vector[4][lane];
}

/* Moves with an index: M0 is added to the register's number. M0 is below 8 here. */
static void each_active(struct harness *harness, unsigned destination, unsigned source)
{
    for (unsigned lane = 0; lane < GCN_LANES; lane++) {
        if ((START->base.active >> lane) & 1)
            EXPECTED->vector[destination][lane] = START->vector[source][lane];
    }
}

static void movrels(struct harness *harness, const struct harness_case *this)
{
    each_active(harness, 20, 4 + START->scalar[GCN_M0]);
}

static void movreld(struct harness *harness, const struct harness_case *this)
{
    each_active(harness, 20 + START->scalar[GCN_M0], 4);
}

static void movrelsd(struct harness *harness, const struct harness_case *this)
{
    each_active(harness, 20 + START->scalar[GCN_M0], 4 + START->scalar[GCN_M0]);
}

static void s_movrels_32(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[12] = START->scalar[4 + START->scalar[GCN_M0]];
}

static void s_movreld_32(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[12 + START->scalar[GCN_M0]] = START->scalar[4];
}

static void s_movrels_64(struct harness *harness, const struct harness_case *this)
{
    START->scalar[GCN_M0] &= 6;
    EXPECTED->scalar[GCN_M0] &= 6;
    for (unsigned i = 0; i < 2; i++)
        EXPECTED->scalar[12 + i] = START->scalar[4 + START->scalar[GCN_M0] + i];
}

static void s_movreld_64(struct harness *harness, const struct harness_case *this)
{
    START->scalar[GCN_M0] &= 6;
    EXPECTED->scalar[GCN_M0] &= 6;
    for (unsigned i = 0; i < 2; i++)
        EXPECTED->scalar[12 + START->scalar[GCN_M0] + i] = START->scalar[4 + i];
}

/* MODE, four bits from bit 4: how denormals are treated. */
static void set_mode_field(struct harness *harness, uint32_t value)
{
    gcn_set_mode(EXPECTED, (START->mode & ~0xf0u) | ((value & 15) << 4));
}

static void setreg(struct harness *harness, const struct harness_case *this)
{
    set_mode_field(harness, START->scalar[4]);
}

static void setreg_immediate(struct harness *harness, const struct harness_case *this)
{
    set_mode_field(harness, 0xf);
}

static void getreg(struct harness *harness, const struct harness_case *this)
{
    EXPECTED->scalar[12] = (START->mode >> 4) & 15;
}

static const struct control_case cases[] = {
    {"s_branch -9", branch},
    {"s_cbranch_scc0 100", branch_scc0},
    {"s_cbranch_scc1 -100", branch_scc1},
    {"s_cbranch_vccz 1", branch_vccz},
    {"s_cbranch_vccnz 32767", branch_vccnz},
    {"s_cbranch_execz -32768", branch_execz},
    {"s_cbranch_execnz 0", branch_execnz},
    {"s_nop 3", nop},
    {"s_nop 0x5a12", hint},
    {"s_nop 0x5a93", acquire_hint},
    {"v_nop", nothing},
    {"v_clrexcp", nothing},
    {"s_waitcnt vmcnt(3) expcnt(2) lgkmcnt(1)", wait},
    {"s_waitcnt lgkmcnt(0)", wait_lgkm_only},
    {"s_barrier", barrier},
    {"s_endpgm", end},
    {"s_sleep 5", nap},
    {"s_setprio 2", priority},
    {"v_readlane_b32 s12, v4, s8", readlane_register},
    {"v_readlane_b32 s12, v4, 37", readlane_constant},
    {"v_readlane_b32 vcc_hi, v4, m0", readlane_vcc},
    {"v_writelane_b32 v4, s8, 29", writelane_register},
    {"v_writelane_b32 v4, -11, m0", writelane_constant},
    {"v_readfirstlane_b32 s12, v4", readfirstlane},
    {"v_movrels_b32_e32 v20, v4", movrels},
    {"v_movreld_b32_e32 v20, v4", movreld},
    {"v_movrelsd_b32_e32 v20, v4", movrelsd},
    {"s_movrels_b32 s12, s4", s_movrels_32},
    {"s_movreld_b32 s12, s4", s_movreld_32},
    {"s_movrels_b64 s[12:13], s[4:5]", s_movrels_64},
    {"s_movreld_b64 s[12:13], s[4:5]", s_movreld_64},
    {"s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s4", setreg},
    {"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0xf", setreg_immediate},
    {"s_getreg_b32 s12, hwreg(HW_REG_MODE, 4, 4)", getreg},
};

static bool run_control(struct harness *harness, const struct harness_case *this)
{
    bool ok = true;

    harness_fill(harness, this);
    for (int variant = 0; ok && variant < HARNESS_VARIANTS; variant++) {
        *EXPECTED = *START;
        EXPECTED->base.pc += this->decoded[variant]->bytes;
        /* Some expectations narrow the start (M0), so they come before the run; `end` looks at the
         * run. */
        this->special(harness, this);
        *harness->after = *START;
        harness->isa[variant]->execute(&harness->after->base, this->decoded[variant]);
        if (this->special == end)
            end(harness, this);
        ok = harness_compare(harness, this, variant);
    }
    return ok;
}

void add_control_cases(struct harness *harness)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct harness_case *this = harness_add(harness, "%s", cases[i].text);

        this->special = cases[i].expect;
        this->run = run_control;
        this->rounds = 20;
    }
}
