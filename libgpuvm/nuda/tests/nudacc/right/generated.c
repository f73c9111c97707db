/* SPDX-License-Identifier: MIT */
/* As a generator writes files: long, with #line, which messages follow. */
#include "show.h"

static double f1(double x)
{
#line 100 "made.y"
    return x * 1 + 1.0 / 1;
}

static double f2(double x)
{
#line 200 "made.y"
    return x * 2 + 1.0 / 2;
}

static double f3(double x)
{
#line 300 "made.y"
    return x * 3 + 1.0 / 3;
}

static double f4(double x)
{
#line 400 "made.y"
    return x * 4 + 1.0 / 4;
}

static double f5(double x)
{
#line 500 "made.y"
    return x * 5 + 1.0 / 5;
}

static double f6(double x)
{
#line 600 "made.y"
    return x * 6 + 1.0 / 6;
}

static double f7(double x)
{
#line 700 "made.y"
    return x * 7 + 1.0 / 7;
}

static double f8(double x)
{
#line 800 "made.y"
    return x * 8 + 1.0 / 8;
}

static double f9(double x)
{
#line 900 "made.y"
    return x * 9 + 1.0 / 9;
}

static double f10(double x)
{
#line 1000 "made.y"
    return x * 10 + 1.0 / 10;
}

static double f11(double x)
{
#line 1100 "made.y"
    return x * 11 + 1.0 / 11;
}

static double f12(double x)
{
#line 1200 "made.y"
    return x * 12 + 1.0 / 12;
}

static double f13(double x)
{
#line 1300 "made.y"
    return x * 13 + 1.0 / 13;
}

static double f14(double x)
{
#line 1400 "made.y"
    return x * 14 + 1.0 / 14;
}

static double f15(double x)
{
#line 1500 "made.y"
    return x * 15 + 1.0 / 15;
}

static double f16(double x)
{
#line 1600 "made.y"
    return x * 16 + 1.0 / 16;
}

static double f17(double x)
{
#line 1700 "made.y"
    return x * 17 + 1.0 / 17;
}

static double f18(double x)
{
#line 1800 "made.y"
    return x * 18 + 1.0 / 18;
}

static double f19(double x)
{
#line 1900 "made.y"
    return x * 19 + 1.0 / 19;
}

static double f20(double x)
{
#line 2000 "made.y"
    return x * 20 + 1.0 / 20;
}

static double f21(double x)
{
#line 2100 "made.y"
    return x * 21 + 1.0 / 21;
}

static double f22(double x)
{
#line 2200 "made.y"
    return x * 22 + 1.0 / 22;
}

static double f23(double x)
{
#line 2300 "made.y"
    return x * 23 + 1.0 / 23;
}

static double f24(double x)
{
#line 2400 "made.y"
    return x * 24 + 1.0 / 24;
}

static double f25(double x)
{
#line 2500 "made.y"
    return x * 25 + 1.0 / 25;
}

static double f26(double x)
{
#line 2600 "made.y"
    return x * 26 + 1.0 / 26;
}

static double f27(double x)
{
#line 2700 "made.y"
    return x * 27 + 1.0 / 27;
}

static double f28(double x)
{
#line 2800 "made.y"
    return x * 28 + 1.0 / 28;
}

static double f29(double x)
{
#line 2900 "made.y"
    return x * 29 + 1.0 / 29;
}

static double f30(double x)
{
#line 3000 "made.y"
    return x * 30 + 1.0 / 30;
}

static double f31(double x)
{
#line 3100 "made.y"
    return x * 31 + 1.0 / 31;
}

static double f32(double x)
{
#line 3200 "made.y"
    return x * 32 + 1.0 / 32;
}

static double f33(double x)
{
#line 3300 "made.y"
    return x * 33 + 1.0 / 33;
}

static double f34(double x)
{
#line 3400 "made.y"
    return x * 34 + 1.0 / 34;
}

static double f35(double x)
{
#line 3500 "made.y"
    return x * 35 + 1.0 / 35;
}

static double f36(double x)
{
#line 3600 "made.y"
    return x * 36 + 1.0 / 36;
}

static double f37(double x)
{
#line 3700 "made.y"
    return x * 37 + 1.0 / 37;
}

static double f38(double x)
{
#line 3800 "made.y"
    return x * 38 + 1.0 / 38;
}

static double f39(double x)
{
#line 3900 "made.y"
    return x * 39 + 1.0 / 39;
}

static double f40(double x)
{
#line 4000 "made.y"
    return x * 40 + 1.0 / 40;
}

static double f41(double x)
{
#line 4100 "made.y"
    return x * 41 + 1.0 / 41;
}

static double f42(double x)
{
#line 4200 "made.y"
    return x * 42 + 1.0 / 42;
}

static double f43(double x)
{
#line 4300 "made.y"
    return x * 43 + 1.0 / 43;
}

static double f44(double x)
{
#line 4400 "made.y"
    return x * 44 + 1.0 / 44;
}

static double f45(double x)
{
#line 4500 "made.y"
    return x * 45 + 1.0 / 45;
}

static double f46(double x)
{
#line 4600 "made.y"
    return x * 46 + 1.0 / 46;
}

static double f47(double x)
{
#line 4700 "made.y"
    return x * 47 + 1.0 / 47;
}

static double f48(double x)
{
#line 4800 "made.y"
    return x * 48 + 1.0 / 48;
}

static double f49(double x)
{
#line 4900 "made.y"
    return x * 49 + 1.0 / 49;
}

static double f50(double x)
{
#line 5000 "made.y"
    return x * 50 + 1.0 / 50;
}

static double f51(double x)
{
#line 5100 "made.y"
    return x * 51 + 1.0 / 51;
}

static double f52(double x)
{
#line 5200 "made.y"
    return x * 52 + 1.0 / 52;
}

static double f53(double x)
{
#line 5300 "made.y"
    return x * 53 + 1.0 / 53;
}

static double f54(double x)
{
#line 5400 "made.y"
    return x * 54 + 1.0 / 54;
}

static double f55(double x)
{
#line 5500 "made.y"
    return x * 55 + 1.0 / 55;
}

static double f56(double x)
{
#line 5600 "made.y"
    return x * 56 + 1.0 / 56;
}

static double f57(double x)
{
#line 5700 "made.y"
    return x * 57 + 1.0 / 57;
}

static double f58(double x)
{
#line 5800 "made.y"
    return x * 58 + 1.0 / 58;
}

static double f59(double x)
{
#line 5900 "made.y"
    return x * 59 + 1.0 / 59;
}

static double f60(double x)
{
#line 6000 "made.y"
    return x * 60 + 1.0 / 60;
}

int main(void)
{
    int n = 60;
    double *a = numbers(n, 1);
#line 7000 "made.y"
#pragma nuda parallel for
    for (int i = 0; i < n; i++)
        a[i] = f60(f7(a[i])) - f1(a[i]);
    show_numbers("a", a, n);
    return 0;
}
