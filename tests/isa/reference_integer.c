/* SPDX-License-Identifier: MIT */
/* Integer vector operations, and conversions from and to integers and halves. */
#include "reference.h"

#include <math.h>

#include "reference_bits.h"

#define A ((uint32_t)lane->source[0])
#define B ((uint32_t)lane->source[1])
#define C ((uint32_t)lane->source[2])
#define SA ((int32_t)A)
#define SB ((int32_t)B)
#define SC ((int32_t)C)
#define FA to_float(lane->source[0])
#define FB to_float(lane->source[1])

/* One line per operation: its result as an expression, cut to 32 bits. */
#define RESULT_32(name, expression)                                                                \
    static void name(struct reference_lane *lane)                                                  \
    {                                                                                              \
        lane->result = (uint32_t)(expression);                                                     \
    }
#define RESULT_64(name, expression)                                                                \
    static void name(struct reference_lane *lane)                                                  \
    {                                                                                              \
        lane->result = (uint64_t)(expression);                                                     \
    }

static int64_t signed_24(uint32_t value)
{
    return (value & 0xffffff) >= 0x800000 ? (int64_t)(value & 0xffffff) - 0x1000000
                                          : (int64_t)(value & 0xffffff);
}

static uint64_t unsigned_24(uint32_t value)
{
    return value & 0xffffff;
}

static uint32_t count_ones(uint64_t value)
{
    uint32_t count = 0;

    for (; value; value >>= 1)
        count += value & 1;
    return count;
}

static uint32_t reverse_bits(uint32_t value)
{
    uint32_t result = 0;

    for (int i = 0; i < 32; i++)
        result |= ((value >> i) & 1) << (31 - i);
    return result;
}

/* Zeros above the highest one; -1 if there is no one. */
static uint32_t first_high(uint32_t value)
{
    for (int i = 31; i >= 0; i--) {
        if ((value >> i) & 1)
            return (uint32_t)(31 - i);
    }
    return UINT32_MAX;
}

static uint32_t first_low(uint32_t value)
{
    for (uint32_t i = 0; i < 32; i++) {
        if ((value >> i) & 1)
            return i;
    }
    return UINT32_MAX;
}

static uint32_t extract_unsigned(uint32_t value, uint32_t offset, uint32_t width)
{
    return (uint32_t)((value >> offset) & ((1ull << width) - 1));
}

static int32_t extract_signed(uint32_t value, uint32_t offset, uint32_t width)
{
    if (width == 0)
        return 0;
    if (offset + width >= 32)
        return (int32_t)value >> offset;
    return (int32_t)(value << (32 - offset - width)) >> (32 - width);
}

RESULT_32(mov_b32, A)
RESULT_32(not_b32, ~A)
RESULT_32(bfrev_b32, reverse_bits(A))
RESULT_32(ffbh_u32, first_high(A))
RESULT_32(ffbl_b32, first_low(A))
RESULT_32(ffbh_i32, first_high(SA < 0 ? ~A : A))
RESULT_32(and_b32, A &B)
RESULT_32(or_b32, A | B)
RESULT_32(xor_b32, A ^ B)
RESULT_32(lshl_b32, A << (B & 31))
RESULT_32(lshlrev_b32, B << (A & 31))
RESULT_32(lshr_b32, A >> (B & 31))
RESULT_32(lshrrev_b32, B >> (A & 31))
RESULT_32(ashr_i32, SA >> (B & 31))
RESULT_32(ashrrev_i32, SB >> (A & 31))
RESULT_32(bfm_b32, ((1ull << (A & 31)) - 1) << (B & 31))
RESULT_32(bcnt_u32_b32, count_ones(A) + B)
RESULT_32(min_i32, SA < SB ? SA : SB)
RESULT_32(max_i32, SA > SB ? SA : SB)
RESULT_32(min_u32, A < B ? A : B)
RESULT_32(max_u32, A > B ? A : B)
RESULT_32(mul_i32_i24, signed_24(A) * signed_24(B))
RESULT_32(mul_hi_i32_i24, (signed_24(A) * signed_24(B)) >> 32)
RESULT_32(mul_u32_u24, unsigned_24(A) * unsigned_24(B))
RESULT_32(mul_hi_u32_u24, (unsigned_24(A) * unsigned_24(B)) >> 32)
RESULT_32(mad_i32_i24, signed_24(A) * signed_24(B) + SC)
RESULT_32(mad_u32_u24, unsigned_24(A) * unsigned_24(B) + C)
RESULT_32(mul_lo, A *B)
RESULT_32(mul_hi_u32, ((uint64_t)A * B) >> 32)
RESULT_32(mul_hi_i32, ((int64_t)SA * SB) >> 32)
RESULT_32(bfe_u32, extract_unsigned(A, B & 31, C & 31))
RESULT_32(bfe_i32, extract_signed(A, B & 31, C & 31))
RESULT_32(bfi_b32, (A & B) | (~A & C))
RESULT_32(alignbit_b32, (((uint64_t)A << 32) | B) >> (C & 31))
RESULT_32(alignbyte_b32, (((uint64_t)A << 32) | B) >> (8 * (C & 3)))
RESULT_64(lshl_b64, lane->source[0] << (B & 63))
RESULT_64(lshr_b64, lane->source[0] >> (B & 63))
RESULT_64(ashr_i64, (int64_t)lane->source[0] >> (B & 63))
RESULT_32(cndmask_b32, lane->flag_in ? B : A)

/* Lanes below this one: their count in the low or the high half of a mask. */
static uint64_t lanes_below(const struct reference_lane *lane)
{
    return (1ull << lane->index) - 1;
}

RESULT_32(mbcnt_lo, count_ones(A &(uint32_t)lanes_below(lane)) + B)
RESULT_32(mbcnt_hi, count_ones(A &(uint32_t)(lanes_below(lane) >> 32)) + B)

static void carry(struct reference_lane *lane, int64_t left, int64_t right, int64_t in)
{
    int64_t sum = left + right + in;

    lane->result = (uint32_t)sum;
    lane->flag_out = sum < 0 || sum > UINT32_MAX;
}

static void add_i32(struct reference_lane *lane)
{
    carry(lane, A, B, 0);
}

static void sub_i32(struct reference_lane *lane)
{
    carry(lane, A, -(int64_t)B, 0);
}

static void subrev_i32(struct reference_lane *lane)
{
    carry(lane, B, -(int64_t)A, 0);
}

static void addc_u32(struct reference_lane *lane)
{
    carry(lane, A, B, lane->flag_in);
}

static void subb_u32(struct reference_lane *lane)
{
    carry(lane, A, -(int64_t)B, -(int64_t)lane->flag_in);
}

static void subbrev_u32(struct reference_lane *lane)
{
    carry(lane, B, -(int64_t)A, -(int64_t)lane->flag_in);
}

static uint32_t middle(int64_t a, int64_t b, int64_t c)
{
    if ((a <= b && b <= c) || (c <= b && b <= a))
        return (uint32_t)b;
    return (uint32_t)((b <= a && a <= c) || (c <= a && a <= b) ? a : c);
}

static int64_t min(int64_t a, int64_t b, int64_t c)
{
    int64_t low = a < b ? a : b;

    return low < c ? low : c;
}

RESULT_32(min3_i32, min(SA, SB, SC))
RESULT_32(min3_u32, min(A, B, C))
RESULT_32(max3_i32, -min(-(int64_t)SA, -(int64_t)SB, -(int64_t)SC))
RESULT_32(max3_u32, -min(-(int64_t)A, -(int64_t)B, -(int64_t)C))
RESULT_32(med3_i32, middle(SA, SB, SC))
RESULT_32(med3_u32, middle(A, B, C))

static uint32_t differences(uint64_t a, uint64_t b, int bits, bool masked)
{
    uint32_t sum = 0;

    for (int i = 0; i < 32; i += bits) {
        int64_t x = (int64_t)((a >> i) & ((1ull << bits) - 1));
        int64_t y = (int64_t)((b >> i) & ((1ull << bits) - 1));

        if (!masked || y != 0)
            sum += (uint32_t)(x > y ? x - y : y - x);
    }
    return sum;
}

RESULT_32(sad_u8, C + differences(A, B, 8, false))
RESULT_32(sad_hi_u8, C + (differences(A, B, 8, false) << 16))
RESULT_32(sad_u16, C + differences(A, B, 16, false))
RESULT_32(sad_u32, C + differences(A, B, 32, false))
RESULT_32(msad_u8, C + differences(A, B, 8, true))

static void sum_four(struct reference_lane *lane, bool masked)
{
    lane->result = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t sum = (lane->source[2] >> (16 * i)) +
                       differences((uint32_t)(lane->source[0] >> (8 * i)), B, 8, masked);

        lane->result |= (sum & 0xffff) << (16 * i);
    }
}

static void qsad_u8(struct reference_lane *lane)
{
    sum_four(lane, false);
}

static void mqsad_u8(struct reference_lane *lane)
{
    sum_four(lane, true);
}

static void lerp_u8(struct reference_lane *lane)
{
    lane->result = 0;
    for (int i = 0; i < 32; i += 8) {
        uint32_t sum = ((A >> i) & 255) + ((B >> i) & 255) + ((C >> i) & 1);

        lane->result |= (sum / 2) << i;
    }
}

/* Conversions. The limits in long double, which holds all of them exactly. */
static int64_t saturate(long double value, long double low, long double high)
{
    if (value != value)
        return 0;
    return (int64_t)(value < low ? low : value > high ? high : truncl(value));
}

#define TO_SIGNED(value) saturate(value, INT32_MIN, INT32_MAX)
#define TO_UNSIGNED(value) saturate(value, 0, UINT32_MAX)

RESULT_32(cvt_i32_f32, TO_SIGNED(FA))
RESULT_32(cvt_u32_f32, TO_UNSIGNED(FA))
RESULT_32(cvt_i32_f64, TO_SIGNED(to_double(lane->source[0])))
RESULT_32(cvt_u32_f64, TO_UNSIGNED(to_double(lane->source[0])))
RESULT_32(cvt_f32_i32, from_float((float)SA))
RESULT_32(cvt_f32_u32, from_float((float)A))
RESULT_64(cvt_f64_i32, from_double(SA))
RESULT_64(cvt_f64_u32, from_double(A))
RESULT_32(cvt_f32_ubyte0, from_float((float)(A & 255)))
RESULT_32(cvt_f32_ubyte1, from_float((float)((A >> 8) & 255)))
RESULT_32(cvt_f32_ubyte2, from_float((float)((A >> 16) & 255)))
RESULT_32(cvt_f32_ubyte3, from_float((float)(A >> 24)))
RESULT_32(cvt_off_f32_i4, from_float((float)extract_signed(A, 0, 4) / 16))

static uint32_t round_down(const struct reference_lane *lane, long double value)
{
    if (is_nan_float(lane->source[0]))
        return (A >> 31) ? 0x80000000 : 0x7fffffff;
    return (uint32_t)TO_SIGNED(floorl(value));
}

RESULT_32(cvt_flr_i32_f32, round_down(lane, FA))
RESULT_32(cvt_rpi_i32_f32, round_down(lane, fabsf(FA) < 0.25f ? 0 : FA + 0.5L))

/* Between floats a NaN keeps its sign and the upper bits of its payload. */
static void cvt_f64_f32(struct reference_lane *lane)
{
    if (is_nan_float(A))
        lane->result =
            ((uint64_t)(A >> 31) << 63) | 0x7ff8000000000000ull | ((uint64_t)(A & 0x3fffff) << 29);
    else
        lane->result = from_double(FA);
}

static void cvt_f32_f64(struct reference_lane *lane)
{
    uint64_t bits = lane->source[0];

    if (is_nan_double(bits))
        lane->result = (uint32_t)(bits >> 63 << 31) | 0x7fc00000 | ((bits >> 29) & 0x3fffff);
    else
        lane->result = from_float((float)to_double(bits));
}

static void cvt_f32_f16(struct reference_lane *lane)
{
    uint32_t sign = (A >> 15) & 1, exponent = (A >> 10) & 31, fraction = A & 1023;
    float magnitude = exponent ? ldexpf((float)(1024 + fraction), (int)exponent - 25)
                               : ldexpf((float)fraction, -24);

    if (exponent == 31)
        lane->result = 0x7f800000 | (fraction ? 0x400000 | (fraction << 13) : 0);
    else
        lane->result = from_float(magnitude);
    lane->result |= (uint64_t)sign << 31;
}

/* A binary16 number is a whole multiple of a power of two given by its exponent, 2^-24 at least. */
static uint32_t to_half(uint32_t bits, bool toward_zero)
{
    uint32_t sign = (bits >> 31) << 15;
    float magnitude = to_float(bits & 0x7fffffff);
    int exponent;

    if (is_nan_float(bits))
        return sign | 0x7e00 | ((bits >> 13) & 0x1ff);
    if (isinf(magnitude))
        return sign | 0x7c00;
    frexpf(magnitude, &exponent);
    if (magnitude == 0 || exponent < -13)
        exponent = -13;
    float scaled = ldexpf(magnitude, 11 - exponent);
    uint32_t whole = (uint32_t)(toward_zero ? floorf(scaled) : rintf(scaled));
    /* `whole` has its leading one at bit 10, which adds one to the exponent field below. */
    uint32_t half = ((uint32_t)(exponent + 13) << 10) + whole;

    if (half >= 0x7c00)
        half = toward_zero ? 0x7bff : 0x7c00;
    return sign | half;
}

RESULT_32(cvt_f16_f32, to_half(A, false))
RESULT_32(cvt_pkrtz_f16_f32, to_half(A, true) | (to_half(B, true) << 16))

static uint32_t normalised(float value, long double scale, long double low)
{
    long double rounded = rintl(value * scale);

    return (uint32_t)saturate(rounded, low, scale) & 0xffff;
}

RESULT_32(cvt_pknorm_i16_f32, normalised(FA, 32767, -32767) | (normalised(FB, 32767, -32767) << 16))
RESULT_32(cvt_pknorm_u16_f32, normalised(FA, 65535, 0) | (normalised(FB, 65535, 0) << 16))
RESULT_32(cvt_pk_u16_u32, (A > 0xffff ? 0xffff : A) | ((B > 0xffff ? 0xffff : B) << 16))
RESULT_32(cvt_pk_i16_i32, ((uint32_t)saturate(SA, -32768, 32767) & 0xffff) |
                              ((uint32_t)saturate(SB, -32768, 32767) << 16))

static uint64_t with_byte(uint64_t word, uint32_t where, float value)
{
    uint64_t byte = (uint64_t)saturate(rintl(value), 0, 255);
    uint32_t shift = 8 * (where & 3);

    return (word & ~(255ull << shift)) | (byte << shift);
}

RESULT_32(cvt_pk_u8_f32, with_byte(C, B, FA))
RESULT_32(cvt_pkaccum_u8_f32, with_byte(lane->old, B, FA))

#define LONG REFERENCE_LONG_ONLY
#define CARRY REFERENCE_FLAG_OUT
#define CARRIES (REFERENCE_FLAG_OUT | REFERENCE_FLAG_IN)

static const struct reference_op ops[] = {
    {"v_mov_b32", "ii", 0, mov_b32},
    {"v_not_b32", "ii", 0, not_b32},
    {"v_bfrev_b32", "ii", 0, bfrev_b32},
    {"v_ffbh_u32", "ii", 0, ffbh_u32},
    {"v_ffbl_b32", "ii", 0, ffbl_b32},
    {"v_ffbh_i32", "ii", 0, ffbh_i32},
    {"v_and_b32", "iii", 0, and_b32},
    {"v_or_b32", "iii", 0, or_b32},
    {"v_xor_b32", "iii", 0, xor_b32},
    {"v_lshl_b32", "iii", 0, lshl_b32},
    {"v_lshlrev_b32", "iii", 0, lshlrev_b32},
    {"v_lshr_b32", "iii", 0, lshr_b32},
    {"v_lshrrev_b32", "iii", 0, lshrrev_b32},
    {"v_ashr_i32", "iii", 0, ashr_i32},
    {"v_ashrrev_i32", "iii", 0, ashrrev_i32},
    {"v_bfm_b32", "iii", 0, bfm_b32},
    {"v_bcnt_u32_b32", "iii", 0, bcnt_u32_b32},
    {"v_mbcnt_lo_u32_b32", "iii", 0, mbcnt_lo},
    {"v_mbcnt_hi_u32_b32", "iii", 0, mbcnt_hi},
    {"v_min_i32", "iii", 0, min_i32},
    {"v_max_i32", "iii", 0, max_i32},
    {"v_min_u32", "iii", 0, min_u32},
    {"v_max_u32", "iii", 0, max_u32},
    {"v_mul_i32_i24", "iii", 0, mul_i32_i24},
    {"v_mul_hi_i32_i24", "iii", 0, mul_hi_i32_i24},
    {"v_mul_u32_u24", "iii", 0, mul_u32_u24},
    {"v_mul_hi_u32_u24", "iii", 0, mul_hi_u32_u24},
    {"v_add_i32", "iii", CARRY, add_i32},
    {"v_sub_i32", "iii", CARRY, sub_i32},
    {"v_subrev_i32", "iii", CARRY, subrev_i32},
    {"v_addc_u32", "iii", CARRIES, addc_u32},
    {"v_subb_u32", "iii", CARRIES, subb_u32},
    {"v_subbrev_u32", "iii", CARRIES, subbrev_u32},
    {"v_cndmask_b32", "iff", REFERENCE_FLAG_IN | REFERENCE_KEEPS_DENORMALS, cndmask_b32},
    {"v_mad_i32_i24", "iiii", LONG, mad_i32_i24},
    {"v_mad_u32_u24", "iiii", LONG, mad_u32_u24},
    {"v_mul_lo_u32", "iii", LONG, mul_lo},
    {"v_mul_lo_i32", "iii", LONG, mul_lo},
    {"v_mul_hi_u32", "iii", LONG, mul_hi_u32},
    {"v_mul_hi_i32", "iii", LONG, mul_hi_i32},
    {"v_bfe_u32", "iiii", LONG, bfe_u32},
    {"v_bfe_i32", "iiii", LONG, bfe_i32},
    {"v_bfi_b32", "iiii", LONG, bfi_b32},
    {"v_alignbit_b32", "iiii", LONG, alignbit_b32},
    {"v_alignbyte_b32", "iiii", LONG, alignbyte_b32},
    {"v_lshl_b64", "lli", LONG, lshl_b64},
    {"v_lshr_b64", "lli", LONG, lshr_b64},
    {"v_ashr_i64", "lli", LONG, ashr_i64},
    {"v_min3_i32", "iiii", LONG, min3_i32},
    {"v_min3_u32", "iiii", LONG, min3_u32},
    {"v_max3_i32", "iiii", LONG, max3_i32},
    {"v_max3_u32", "iiii", LONG, max3_u32},
    {"v_med3_i32", "iiii", LONG, med3_i32},
    {"v_med3_u32", "iiii", LONG, med3_u32},
    {"v_sad_u8", "iiii", LONG, sad_u8},
    {"v_sad_hi_u8", "iiii", LONG, sad_hi_u8},
    {"v_sad_u16", "iiii", LONG, sad_u16},
    {"v_sad_u32", "iiii", LONG, sad_u32},
    {"v_msad_u8", "iiii", LONG, msad_u8},
    {"v_mqsad_pk_u16_u8", "llil", LONG, mqsad_u8},
    {"v_qsad_pk_u16_u8", "llil", LONG, qsad_u8},
    {"v_lerp_u8", "iiii", LONG, lerp_u8},
    {"v_cvt_i32_f32", "if", 0, cvt_i32_f32},
    {"v_cvt_u32_f32", "if", 0, cvt_u32_f32},
    {"v_cvt_i32_f64", "id", 0, cvt_i32_f64},
    {"v_cvt_u32_f64", "id", 0, cvt_u32_f64},
    {"v_cvt_f32_i32", "fi", REFERENCE_ROUNDS, cvt_f32_i32},
    {"v_cvt_f32_u32", "fi", REFERENCE_ROUNDS, cvt_f32_u32},
    {"v_cvt_f64_i32", "di", 0, cvt_f64_i32},
    {"v_cvt_f64_u32", "di", 0, cvt_f64_u32},
    {"v_cvt_f32_ubyte0", "fi", 0, cvt_f32_ubyte0},
    {"v_cvt_f32_ubyte1", "fi", 0, cvt_f32_ubyte1},
    {"v_cvt_f32_ubyte2", "fi", 0, cvt_f32_ubyte2},
    {"v_cvt_f32_ubyte3", "fi", 0, cvt_f32_ubyte3},
    {"v_cvt_off_f32_i4", "fi", 0, cvt_off_f32_i4},
    {"v_cvt_flr_i32_f32", "if", 0, cvt_flr_i32_f32},
    {"v_cvt_rpi_i32_f32", "if", 0, cvt_rpi_i32_f32},
    {"v_cvt_f64_f32", "df", 0, cvt_f64_f32},
    {"v_cvt_f32_f64", "fd", REFERENCE_ROUNDS, cvt_f32_f64},
    {"v_cvt_f32_f16", "fi", REFERENCE_REGISTERS_ONLY, cvt_f32_f16},
    {"v_cvt_f16_f32", "if", 0, cvt_f16_f32},
    {"v_cvt_pkrtz_f16_f32", "iff", 0, cvt_pkrtz_f16_f32},
    {"v_cvt_pknorm_i16_f32", "iff", 0, cvt_pknorm_i16_f32},
    {"v_cvt_pknorm_u16_f32", "iff", 0, cvt_pknorm_u16_f32},
    {"v_cvt_pk_u16_u32", "iii", 0, cvt_pk_u16_u32},
    {"v_cvt_pk_i16_i32", "iii", 0, cvt_pk_i16_i32},
    {"v_cvt_pk_u8_f32", "ifii", LONG, cvt_pk_u8_f32},
    {"v_cvt_pkaccum_u8_f32", "ifi", 0, cvt_pkaccum_u8_f32},
};

const struct reference_op *reference_integer_ops(size_t *count)
{
    *count = sizeof ops / sizeof ops[0];
    return ops;
}
